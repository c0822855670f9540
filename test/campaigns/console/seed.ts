import { gzipSync } from "node:zlib"
import { check, node as element, report, table } from "../../features/audits/reports.ts"
import { insider } from "../attackers.ts"
import { type Node, site, until } from "../node.ts"
import type { Postgres } from "../postgres.ts"

/** Foreign text that would run as markup, and would leave a trace in the page. */
export const markup = "<img src=x onerror=globalThis.hurt=1>"

const escaped = markup.replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Queries of the largest site, and number of sites of the account with everything. */
export const queries = 100_000
export const sites = 12

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

const csv = (columns: string, lines: ReadonlyArray<string>) => gzipSync(`${[columns, ...lines].join("\n")}\n`)

const byQuery = "Date,Query,Page,Clicks,Impressions,Position"

/** Ten weeks of a few queries: one with markup that gains positions, one that two pages compete for, one that is lost, and one at position 3 for comparison. */
const someQueries = () =>
  csv(
    byQuery,
    Array.from({ length: 70 }, (_, n) => 73 - n).flatMap((ago) => [
      `${day(ago)},${markup},https://shop.example/a,5,90,${ago > 35 ? 9 : 7.5}`,
      `${day(ago)},shoes,https://shop.example/${ago % 2 ? "b" : "c"},3,400,6`,
      `${day(ago)},boots,https://shop.example/a,40,400,2`,
      `${day(ago)},heels,https://shop.example/e,28,400,3`,
      ...(ago > 40 ? [`${day(ago)},sandals,https://shop.example/d,2,40,12`] : [])
    ])
  )

const manyQueries = () =>
  csv(
    byQuery,
    Array.from(
      { length: queries },
      (_, n) => `${day(4)},query ${n},https://many.example/${n % 500},1,20,${1 + (n % 40)}`
    )
  )

/** Totals of two folders with forty weeks of history; the blog gains 30 % from a change on, 60 days ago. */
const totals = () =>
  csv(
    "Date,Page,Clicks,Impressions,Position",
    Array.from({ length: 300 }, (_, n) => 303 - n).flatMap((ago) =>
      Array.from({ length: 20 }, (_, page) => {
        const isBlog = page % 2 === 0
        const noise = 0.8 + 0.4 * (((page * 7919 + ago * 104_729) % 997) / 997)
        const clicks = Math.round((50 + 8 * page) * noise * (isBlog && ago <= 60 ? 1.3 : 1))
        return `${day(ago)},https://shop.example/${isBlog ? "blog" : "shop"}/${page},${clicks},${clicks * 20 + 50},4.5`
      })
    )
  )

/** A site with broken links and pages without titles, whose own title is markup; `change` fixes some issues and adds others. */
export const faulty = () => {
  let isChanged = false
  const page = (title: string, body: string) =>
    new Response(`<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${body}</html>`, {
      headers: { "content-type": "text/html; charset=utf-8" }
    })
  const server = Bun.serve({
    fetch: ({ url }) => {
      const { pathname } = new URL(url)
      if (pathname === "/")
        return page(escaped, `<a href="/${isChanged ? "gone" : "dead"}">x</a><a href="/a">a</a><a href="/b">b</a>`)
      if (pathname === "/a") return page("", '<a href="/">home</a>')
      if (pathname === "/b" && !isChanged) return page(escaped, '<a href="/">home</a>')
      return new Response("", { status: 404 })
    },
    hostname: "127.0.0.1",
    port: 0
  })
  return {
    change: () => {
      isChanged = true
    },
    stop: () => server.stop(true),
    url: server.url.href
  }
}

/** An endpoint that fails every delivery, and responds with markup. */
const refusing = () => {
  const server = Bun.serve({
    fetch: () => new Response("<script>globalThis.hurt = 1</script>", { status: 500 }),
    hostname: "127.0.0.1",
    port: 0
  })
  return { stop: () => server.stop(true), url: `${server.url.href}hooks` }
}

/** The scopes of the first start's link, without the server's. */
const everything = ["*", "site-health:write", "geo:write", "interventions:write", "keys:manage"]

const sender = (node: Node, key: string) => async (method: string, path: string, body?: unknown) => {
  const answer = await node.ask(method, `/api/v1${path}`, { body, key })
  if (answer.status >= 400 || answer.status === 0)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body.data
}
type Send = ReturnType<typeof sender>

const importing = async (node: Node, key: string, site: string, file: Uint8Array<ArrayBuffer>) => {
  const response = await fetch(`${node.base}/api/v1/projects/${site}/rankings/imports?format=gsc-csv`, {
    body: file,
    headers: { authorization: `Bearer ${key}` },
    method: "POST"
  })
  const { data } = Object(await response.json())
  const read = () => sender(node, key)("GET", `/projects/${site}/rankings/imports/${data.id}`)
  await until(async () => (await read()).finished_at !== null, 300, 200)
  const { error } = await read()
  if (error !== null) throw new Error(`The import failed: ${JSON.stringify(error)}`)
}

/** Backlinks from pages that nobody checks, one of them with markup as its text. */
const linking = async (node: Node, key: string, site: string) => {
  const response = await fetch(`${node.base}/api/v1/projects/${site}/backlinks/imports`, {
    body: `Referring page URL\tDomain rating\tTarget URL\tAnchor\tNofollow\nhttps://links.example/a\t78\thttps://shop.example/a\t${markup}\ttrue\n`,
    headers: { authorization: `Bearer ${key}` },
    method: "POST"
  })
  const { data } = Object(await response.json())
  const read = () => sender(node, key)("GET", `/projects/${site}/backlinks/imports/${data.id}`)
  await until(async () => (await read()).finished_at !== null, 60, 100)
}

/** Crawls of a site: two with different issues, and one recheck. */
const runsOf = async (send: Send, project: string, change: () => void) => {
  const ended = async (id: string) => {
    await until(async () => (await send("GET", `/runs/${id}`)).finished_at !== null, 120, 100)
    return id
  }
  const run = async () => ended((await send("POST", `/projects/${project}/site-health/runs`, {})).id)
  await run()
  change()
  const second = await run()
  const { result } = await send("GET", `/runs/${second}?include=result`)
  const { rule } = result.findings.find(({ status }: { readonly status: string }) => status === "fail")
  const verification = await ended((await send("POST", `/runs/${second}/verify`, { rules: [rule] })).id)
  return { run: second, verification }
}

const audit = (fetchTime: string) =>
  report(
    {
      accessibility: { "image-alt": check(0, { details: table({ node: element("main > img") }) }) },
      performance: { "largest-contentful-paint": check(0.5, { numericValue: 3000 }) }
    },
    { fetchTime }
  )

const experimentsOf = async (send: Send, site_id: string) => {
  const { id: project_id } = await send("POST", "/growth-projects", { domain: "shop.example" })
  const design = {
    change_date: day(60),
    control: { pattern: "/shop/*" },
    metric: "clicks",
    post_days: 28,
    pre_days: 28,
    settle_days: 7,
    site_id,
    treatment: { pattern: "/blog/*" }
  }
  const draft = (await send("POST", "/experiments", { design, name: markup, project_id })).id
  const judged = (await send("POST", "/experiments", { design, name: "Shorter titles", project_id })).id
  await send("POST", `/experiments/${judged}/start`)
  await send("POST", `/experiments/${judged}/evaluate`, {})
  const later = { ...design, change_date: day(25) }
  const running = (await send("POST", "/experiments", { design: later, name: "Breadcrumbs", project_id })).id
  await send("POST", `/experiments/${running}/start`)
  return { draft, judged, running }
}

/** An account with data on every screen, and the ids of its things. */
const full = async (node: Node, database: Postgres, slow: string) => {
  const { key } = await insider(database, everything)
  const send = sender(node, key)
  const projectOf = async (url: string, name?: string) => (await send("POST", "/projects", { name, url })).id
  const crawled = faulty()
  const hook = refusing()
  const project = await projectOf(crawled.url, markup)
  const shop = await projectOf("https://shop.example")
  const many = await projectOf("https://many.example")
  await send("POST", `/projects/${project}/site-health/schedules`, { every: "30d" })
  const runs = await runsOf(send, project, crawled.change)
  await importing(node, key, shop, someQueries())
  await importing(node, key, shop, totals())
  await importing(node, key, many, manyQueries())
  for (const day of ["01", "02"]) await send("POST", "/audits/imports", audit(`2026-11-${day}T10:00:00.000Z`))
  const [audited] = await send("GET", "/audited-pages")
  const experiments = await experimentsOf(send, shop)
  await linking(node, key, shop)
  await send("POST", `/projects/${shop}/geo/prompts`, { text: markup })
  const changed = { connector: "recorded", summary: markup, url: "https://shop.example/a" }
  const change = (await send("POST", `/projects/${shop}/interventions`, changed)).id
  const webhook = (await send("POST", "/webhooks", { description: markup, events: ["audit.completed"], url: hook.url }))
    .id
  await send("POST", `/webhooks/${webhook}/test`, { type: "audit.completed" })
  await until(async () => (await send("GET", `/webhooks/${webhook}/deliveries`))[0]?.attempts[0]?.error, 60, 100)
  const [{ id: delivery }] = await send("GET", `/webhooks/${webhook}/deliveries`)
  const unreachable = await projectOf("http://127.0.0.1:2")
  await send("POST", `/projects/${unreachable}/site-health/runs`, {})
  await until(async () => (await send("GET", "/events?type=site_health.failed")).length > 0, 60, 100)
  const [{ id: keyword }] = await send("GET", `/keywords?site_id=${shop}&query=onerror`)
  const other = await projectOf(slow)
  for (let n = 5; n < sites; n++) await projectOf(`https://idle-${n}.example`)
  return {
    ...experiments,
    ...runs,
    audited,
    change,
    delivery: String(delivery),
    key,
    keyword: String(keyword),
    /** Starts a crawl that takes long. */
    live: async (): Promise<string> => (await send("POST", `/projects/${other}/site-health/runs`, {})).id,
    many,
    project,
    shop,
    stop: () => Promise.all([crawled, hook].map(({ stop }) => stop())),
    webhook
  }
}

/** An account with empty things. */
const bare = async (node: Node, database: Postgres, slow: string) => {
  const { key } = await insider(database)
  const send = sender(node, key)
  const project = (await send("POST", "/projects", { url: slow })).id
  const run = (await send("POST", `/projects/${project}/site-health/runs`, {})).id
  await send("POST", `/runs/${run}/cancel`)
  await until(async () => (await send("GET", `/runs/${run}`)).finished_at !== null, 120, 100)
  const { id: growth } = await send("POST", "/growth-projects", { domain: "bare.example" })
  const experiment = (await send("POST", "/experiments", { name: "Bare", project_id: growth })).id
  const webhook = (await send("POST", "/webhooks", { events: ["audit.completed"], url: `${slow}/hooks` })).id
  return { experiment, key, project, run, webhook }
}

/** Three accounts: one with everything, one with empty things, and one with nothing. */
export const seed = async (node: Node, database: Postgres) => {
  const slow = site(2000, 1500)
  const [empty, everything] = [await bare(node, database, slow.url), await full(node, database, slow.url)]
  return {
    bare: empty,
    full: everything,
    nothing: await insider(database),
    stop: () => Promise.all([everything.stop(), slow.stop()])
  }
}
export type Seed = Awaited<ReturnType<typeof seed>>
