import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { answer } from "../../features/visibility/engines.ts"
import { change } from "../../features/interventions/setting.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import { entered, layer, Others } from "./linked.ts"
import { goTo, look, settled } from "./shown.ts"

const it = suite(layer, { timeout: 600_000 })
it("looks", function* () {
  const sql = yield* SqlClient.SqlClient
  const { account, key } = yield* Server.customer()
  const { id } = yield* Server.projectOf(account, "https://shop.example")
  const path = `/api/v1/projects/${id}`
  const send = (method: string, rest: string, body?: unknown) => Server.send(method, `${path}${rest}`, { body, key })
  const { engines, github } = yield* Others
  yield* send("PATCH", "", { brand_terms: ["Shop Example"], name: "Shop Example" })
  const hosts = ["news.example.org", "blog.example.net", "www.runnersworld.example", "forum.example.com", "magazine.example.co.uk", "partner.example.de", "old.example.com", "reviews.example.io"]
  const rows = hosts.flatMap((host, n) => [0, 1].map((k) => `https://${host}/${k === 0 ? "articles/the-best-running-shoes-of-2026" : "posts/" + n}\t${90 - n * 9}\thttps://shop.example/${k ? "" : "running-shoes"}\t${k ? "Shop Example" : "these running shoes"}\t${n % 3 === 1}`))
  const file = ["Referring page URL\tDomain rating\tTarget URL\tAnchor\tNofollow", ...rows].join("\n")
  const made = yield* send("POST", "/backlinks/imports", file)
  yield* until(send("GET", `/backlinks/imports/${made.body.data.id}`), ({ body }) => body.data.finished_at !== null, "100 millis")
  yield* sql`UPDATE backlinks SET due_at = now() + interval '20 days', state = 'live', reason = '', http_status = 200, checked_at = now() - interval '2 days', last_live_at = now() - interval '2 days', first_seen_at = now() - interval '40 days' WHERE project_id = ${id}`
  yield* sql`UPDATE backlinks SET state = 'page_gone', http_status = 404, last_live_at = now() - interval '12 days' WHERE project_id = ${id} AND source_domain = 'old.example.com'`
  yield* sql`UPDATE backlinks SET state = 'link_removed', last_live_at = now() - interval '9 days' WHERE project_id = ${id} AND source_url LIKE '%posts/2'`
  yield* sql`UPDATE backlinks SET state = 'blocked', reason = 'robots', http_status = NULL, last_live_at = NULL WHERE project_id = ${id} AND source_domain = 'reviews.example.io'`
  yield* sql`UPDATE backlinks SET state = 'redirected', http_status = 301 WHERE project_id = ${id} AND source_url LIKE '%posts/4'`
  const texts = ["Which running shoes last longest?", "Where can I buy trail shoes online?", "What is the best shop for wide running shoes?", "Which shop ships shoes to Austria?", "Are barefoot shoes good for beginners?", "Who sells vegan running shoes?"]
  for (const text of texts) yield* send("POST", "/geo/prompts", { text })
  let turn = 0
  for (const [n, text] of texts.entries())
    engines.replies.set(text, ({ engine }) => Response.json(answer(engine, {
      text: "For long runs, several shops carry durable models. Shop Example is one of them, and RunnersWorld compares them in detail.",
      urls: (n * 7 + turn * 5 + engine.length) % 3 < 1 + (turn % 2) ? ["https://www.shop.example/running-shoes", "https://runnersworld.example/best"] : ["https://runnersworld.example/best", "https://rival.example/shoes"]
    })))
  for (turn = 0; turn < 3; turn++) {
    const run = yield* send("POST", "/geo/runs", { engines: ["openai", "perplexity", "xai"], repeats: 1 })
    yield* until(send("GET", `/geo/runs/${run.body.data.id}`), ({ body }) => body.data.finished_at !== null, "200 millis")
  }
  const all = yield* send("GET", "/geo/runs")
  for (const [n, run] of all.body.data.entries())
    yield* sql`UPDATE visibility_runs SET created_at = now() - ${n * 7} * interval '1 day' - interval '1 hour', finished_at = now() - ${n * 7} * interval '1 day' WHERE id = ${run.id}`
  yield* send("POST", "/geo/schedules", { engines: ["openai"], every: "7d", repeats: 2 })
  const repository = github.repository()
  yield* send("PUT", "/connectors/github", { token: "ghp_x" })
  const pull = yield* send("POST", "/interventions", { changes: [change], connector: "github", repo: repository.name, summary: "Say in the title what the shop sells" })
  const recorded = yield* send("POST", "/interventions", { connector: "recorded", summary: "New descriptions of all categories", system: "Shopware", url: "https://shop.example/running-shoes" })
  yield* sql`INSERT INTO events SELECT * FROM events WHERE false`
  const csv = ["Date,Query,Page,Clicks,Impressions,Position", ...Array.from({ length: 20 }, (_, n) => `2026-11-${String(n + 1).padStart(2, "0")},boots,https://shop.example/b,2,40,12`)].join("\n")
  const search = yield* send("POST", "/rankings/imports?format=gsc-csv", csv)
  yield* until(send("GET", `/rankings/imports/${search.body.data.id}`), ({ body }) => body.data.finished_at !== null, "100 millis")
  yield* send("POST", "/site-health/schedules", { every: "1d", max_pages: 30 })
  const browser = yield* entered(key)
  const run = all.body.data[0].id
  const compare = all.body.data[1].id
  const screens: Record<string, string> = {
    links: "links", domains: "links/domains", linkchanges: "links/changes", imports: `links/imports?import=${made.body.data.id}`,
    ai: `ai?compare=${compare}`, prompts: "ai/prompts", runs: "ai/runs", run: `ai/runs/${run}`, answers: "ai/answers", cited: "ai/domains",
    changes: "changes", pull: `changes/${pull.body.data.id}`, recorded: `changes/${recorded.body.data.id}`, new: "changes/new", connections: "changes/connections",
    settings: "settings", search: "settings/search", inspections: "settings/inspections"
  }
  const only = process.env.ONLY?.split(",")
  yield* Effect.promise(async () => {
    for (const [name, hash] of Object.entries(screens)) {
      if (only && !only.includes(name)) continue
      for (const [scheme, width] of [["light", 1280], ["dark", 390], ...(process.env.ALL ? [["dark", 1280], ["light", 390]] as const : [])] as const) {
        await look(browser, { scheme, width })
        await goTo(browser, `#/sites/${id}/${hash}`)
        await browser.until(settled)
        await new Promise((r) => setTimeout(r, 400))
        const { data } = await browser.send("Page.captureScreenshot", { captureBeyondViewport: true, format: "png" })
        await Bun.write(`/tmp/look/${name}-${width}-${scheme}.png`, Buffer.from(data, "base64"))
        const { clientWidth, scrollWidth, nodes } = await browser.evaluate("({ clientWidth: document.documentElement.clientWidth, scrollWidth: document.documentElement.scrollWidth, nodes: document.querySelectorAll('*').length })")
        console.log(name, width, scrollWidth <= clientWidth ? "fits" : `WIDE ${scrollWidth}`, nodes)
      }
    }
    console.log(browser.complaints)
  })
})
