import { describe, expect } from "bun:test"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chromium, type Tab, tab } from "../../browser.ts"
import { receiver } from "../../features/webhooks/receiver.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { strayWords } from "../../words.ts"
import {
  attach,
  element,
  enterAnew,
  field,
  fill,
  goTo,
  has,
  look,
  main,
  pick,
  press,
  settled,
  visit,
  walkTo,
  write
} from "./shown.ts"

if (chromium === null) console.warn("NOTICE: no Chromium on this machine, the console is not looked at")

/** The one browser of this file. */
class Browser extends Context.Tag("test/Browser")<Browser, Tab>() {}

const markup = "<img src=x onerror=globalThis.hurt=1>"
const script = "<script>globalThis.hurt = 1</script>"

/** Whether foreign text became markup of the page. */
const isHurt = `globalThis.hurt !== undefined || document.querySelector("body img, body script") !== null`

/** Signs in as a new customer. */
const entered = (key: string) =>
  Effect.gen(function* () {
    const { base } = yield* Server.TestServer
    const browser = yield* Browser
    yield* Effect.promise(async () => {
      await look(browser, { scheme: "light", width: 1200 })
      await enterAnew(browser, base, key)
    })
    return browser
  })

/** Moves the focus to an element by the Tab key, and presses Enter. */
const use = (browser: Tab, selector: string, words = "") => press(browser, element(selector, words), walkTo)

/** A site with a broken link, and with markup as its title. */
const site = Effect.acquireRelease(
  Effect.sync(() =>
    Bun.serve({
      fetch: ({ url }) =>
        new URL(url).pathname === "/"
          ? new Response(
              `<!doctype html><html lang="en"><title>&lt;img src=x onerror=globalThis.hurt=1></title><h1>Shop</h1><a href="/dead">gone</a></html>`,
              { headers: { "content-type": "text/html; charset=utf-8" } }
            )
          : new Response("", { status: 404 }),
      hostname: "127.0.0.1",
      port: 0
    })
  ),
  (server) => Effect.promise(() => server.stop(true))
)

/** A page whose title a script changes into markup. */
const scripted = Effect.acquireRelease(
  Effect.sync(() =>
    Bun.serve({
      fetch: ({ url }) =>
        new URL(url).pathname === "/"
          ? new Response(
              `<!doctype html><html lang="en"><title>Before</title><h1>Shop</h1><script>document.title = "<script>globalThis.hurt = 1<" + "/script>"</script></html>`,
              { headers: { "content-type": "text/html; charset=utf-8" } }
            )
          : new Response("", { status: 404 }),
      hostname: "127.0.0.1",
      port: 0
    })
  ),
  (server) => Effect.promise(() => server.stop(true))
)

const days = ["2026-10-01", "2026-10-02", "2026-10-08", "2026-10-09"]

/** Two queries: one gains a position, one is lost. */
const queries = [
  "Date,Query,Page,Clicks,Impressions,Position",
  ...days.map((day, index) => `${day},${markup},https://example.com/a,${5 + index},90,${index < 2 ? 9 : 7.5}`),
  ...days.slice(0, 2).map((day) => `${day},boots,https://example.com/b,2,40,12`)
].join("\n")

describe.skipIf(chromium === null)("the console in a browser", () => {
  const it = suite(Layer.merge(Server.layerWithWorkers, Layer.scoped(Browser, tab(chromium ?? ""))), {
    timeout: 240_000
  })

  it("leads from a site to its crawl, an issue and its fix, and to resending, with Tab and Enter alone", function* () {
    const { key } = yield* Server.customer()
    const { answerWith, url: hook } = yield* receiver(() => new Response(script, { status: 500 }))
    const { url } = yield* site
    const subscription = { body: { events: ["audit.failed"], url: hook }, key }
    const { body: made } = yield* Server.send("POST", "/api/v1/webhooks", subscription)
    const test = { body: { type: "audit.failed" }, key }
    yield* Server.send("POST", `/api/v1/webhooks/${made.data.id}/test`, test)
    const browser = yield* entered(key)
    yield* Effect.promise(async () => {
      const { evaluate, type, until } = browser
      await walkTo(browser, field("Website URL"))
      await type(url.href)
      await browser.press("Enter", 13)
      await until(`/^#\\/sites\\/.*\\/health\\/./.test(location.hash) && ${has("Top fixes")}`)
      await use(browser, "main .tabs a", "Links")
      await walkTo(browser, element("button", "Export CSV"))
      await use(browser, "main .tabs a", "Issues")
      await use(browser, "summary", "Broken link")
      await use(browser, "summary", "Prompt for a coding agent")
      await until(`${element("textarea")}?.value.includes(${JSON.stringify(url.host)})`)
      await use(browser, "button", "Copy prompt")
      await until(`${has("Copied.")} || ${has("press Ctrl+C")}`)
      await use(browser, "button", "Recheck pages")
      await until(has("Fixed: 0 of 1 affected page"))
      expect(await evaluate(isHurt)).toBe(false)

      await use(browser, "nav a", "Webhooks")
      await until(has(": 500"))
      await use(browser, "main a", "Audit or crawl failed")
      const response = `document.querySelector("textarea[aria-label='Response body']")?.value`
      await until(`${response} === ${JSON.stringify(script)}`)
      expect(await evaluate(isHurt)).toBe(false)
      answerWith(() => new Response("thanks"))
      await use(browser, "[aria-label='Chosen delivery'] button", "Resend")
      await until(`${response} === "thanks"`)
    })
  })

  it("speaks in the words of the glossary on its empty screens", function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const tabs = ["", "/health", "/search", "/audits", "/experiments", "/settings"].map((tab) => `sites/${id}${tab}`)
    const browser = yield* entered(key)
    yield* Effect.promise(async () => {
      const settings = ["settings", "settings/account", "settings/server"]
      for (const name of ["sites", ...tabs, "webhooks", "events", ...settings, "nowhere"]) {
        await goTo(browser, `#/${name}`)
        // Names of the contract, such as scopes, are code.
        const text = String(
          await browser.evaluate(
            "[...document.querySelectorAll('code')].reduce((text, { innerText }) => text.replace(innerText, ''), document.body.innerText)"
          )
        )
        expect([name, text.length > 100, strayWords(text)]).toEqual([name, true, []])
      }
    })
  })

  it("offers the next step on empty screens, and shows the secret of a new endpoint once", function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const { url: hook } = yield* receiver(() => new Response("thanks"))
    const browser = yield* entered(key)
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `#/sites/${id}/audits`)
      await until(`${field("Page URL")} !== undefined && ${element("button", "Run audit")} !== undefined`)
      await goTo(browser, `#/sites/${id}/experiments`)
      await until(`${element("main a", "New experiment")} !== undefined`)
      await goTo(browser, "#/webhooks")
      await use(browser, "button", "Add endpoint")
      await use(browser, "button", "Select all")
      await walkTo(browser, field("Endpoint URL"))
      await fill(browser, "Endpoint URL", hook)
      const secret = `${field("Signing secret")}?.value.startsWith("whsec_")`
      await until(`${secret} === true`)
      await press(browser, element("button", "Show endpoints"))
      await until(`${has(new URL(hook).host)} && ${settled}`)
      expect(await evaluate(`${secret} === true`)).toBe(false)
    })
  })

  it("has the fields of a new key that ends in a week within reach of the key Tab", function* () {
    const { key } = yield* Server.customer()
    const browser = yield* entered(key)
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, "#/settings")
      await use(browser, "button", "Create API key")
      await walkTo(browser, field("Name"))
      await write(browser, "Name", "Weekly report")
      await walkTo(browser, field("Expires"))
      await walkTo(browser, `${element("label.check", "Read crawls and issues")}?.querySelector("input")`)
      await browser.press(" ", 32)
      await use(browser, "button", "Create key")
      await until(`${field("API key")} !== undefined`)
      expect(await evaluate(`${field("API key")}.value`)).toStartWith("fnd_")
    })
  })

  it("says why the first crawl of a site failed", function* () {
    const { key } = yield* Server.customer()
    const server = Bun.serve({ fetch: () => new Response(), hostname: "127.0.0.1", port: 0 })
    const { href } = server.url
    yield* Effect.promise(() => server.stop(true))
    const { body: made } = yield* Server.send("POST", "/api/v1/projects", { body: { url: href }, key })
    yield* Server.send("POST", `/api/v1/projects/${made.data.id}/site-health/runs`, { body: {}, key })
    const browser = yield* entered(key)
    yield* Effect.promise(async () => {
      await browser.until(
        `${element(".tag", "crawl failed")} !== undefined && ${has("cannot be reached")} && ${settled}`
      )
      await goTo(browser, `#/sites/${made.data.id}`)
      await browser.until(`${has("Crawl failed")} && ${has("cannot be reached")}`)
    })
  })

  it("shows site totals as a chart, and exports without dates as snapshots", function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const browser = yield* entered(key)
    const metrics = "Clicks,Impressions,CTR,Position"
    const chart = `Date,${metrics}\n2026-10-07,3,40,7.5%,4.2\n2026-10-08,5,60,8.33%,3.9\n`
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `#/sites/${id}/search`)
      await until(has("No search data yet"))
      await attach(browser, "queries.csv", chart)
      await press(browser, element("button", "Import"))
      await until(
        `${has("2 rows of site totals by day")} && document.querySelector(".trend svg") !== null && ${settled}`
      )
      expect(await evaluate(main)).toContain(
        "Pages and experiments: no, they need a Search Console table by date and page"
      )
      await press(browser, element("button", "Import search data"))
      await until(`document.activeElement?.type === "file"`)
      await attach(browser, "queries.csv", `Top queries,${metrics}\n${markup},5,60,8.33%,3.9\nboots,1,9,11%,2\n`)
      await press(browser, element("button", "Import file"))
      await until(
        `${has("snapshot of 2 queries")} && document.querySelector("input[type=file]") === null && ${settled}`
      )
      await press(browser, element("main .tabs a", "Snapshots"))
      await until(`${has("unknown dates")} && ${settled}`)
      await press(browser, element("button", "Queries"))
      await until(`${has("Top queries, unknown dates")} && ${has(markup)} && ${settled}`)
      expect(await evaluate(isHurt)).toBe(false)
    })
  })

  it("imports a chosen file, and shows position changes", function* () {
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const browser = yield* entered(key)
    yield* Effect.promise(async () => {
      const { complaints, evaluate, until } = browser
      const before = complaints.length
      await goTo(browser, `#/sites/${id}/search`)
      await until(has("No search data yet"))
      await walkTo(browser, `(document.querySelector("input[type=file]") ?? undefined)`)
      await attach(browser, "queries.csv", queries)
      await use(browser, "button", "Import")
      await until(`${has("6 rows of queries on pages by day")} && ${has("data through")} && ${settled}`)
      expect(await evaluate(main)).toContain(markup)
      await walkTo(browser, field("Compare with"))
      await use(browser, "button", "Improved 1")
      await until(`${has("9.0 → 7.5 improved")} && ${settled}`)
      await press(browser, element("main a", markup))
      await until(`document.querySelector("h1").textContent === ${JSON.stringify(markup)} && ${settled}`)
      expect(await evaluate(isHurt)).toBe(false)
      // The API reports a missing source with 404.
      expect(complaints.slice(before).filter((one) => !one.includes("404"))).toEqual([])
    })
  })

  it("starts crawls and schedules that render as chosen, and shows what rendering changed, as text", function* () {
    const { account, key } = yield* Server.customer()
    const { url } = yield* scripted
    const { id } = yield* Server.projectOf(account, url.href)
    const browser = yield* entered(key)
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `#/sites/${id}/settings`)
      await until(`${element("button", "Add schedule")} !== undefined && ${settled}`)
      const rendering = `[...${field("Render JavaScript")}.options].map(({ text }) => text).join()`
      expect(await evaluate(rendering)).toBe("Automatic,Always,Never")
      await pick(browser, "Render JavaScript", "never")
      await press(browser, element("button", "Add schedule"))
      await until(has("without rendering"))
      // On a busy machine a page may take longer than its rendering has.
      for (let attempt = 1; attempt <= 3; attempt++) {
        await goTo(browser, `#/sites/${id}`)
        await until(`${element("summary", "Crawl options")} !== undefined && ${settled}`)
        if (attempt === 1) {
          await evaluate(`${element("summary", "Crawl options")}.click()`)
          await until(`${field("Render JavaScript")} !== undefined`)
          await pick(browser, "Render JavaScript", "always")
        }
        await press(browser, element("button", "Crawl now"))
        await until(`/^#\\/sites\\/.*\\/health\\/./.test(location.hash) && ${element("main a", "Pages")} !== undefined`)
        await press(browser, element("main a", "Pages"))
        await until(`${has("JavaScript rendering: always · ")} && ${settled}`)
        if (await evaluate(has("1 page rendered"))) break
      }
      expect(await evaluate(main)).toContain("JavaScript rendering: always · 1 page rendered")
      await until(`${element("summary", "difference")} !== undefined`)
      await evaluate(`${element("summary", "difference")}.click()`)
      await until(`${has("title: ")} && ${settled}`)
      expect(await evaluate(main)).toContain(`title: Before → ${script}`)
      expect(await evaluate(isHurt)).toBe(false)
    })
  })

  it("shows twelve sites with their names as text, by at most five requests", function* () {
    const { base } = yield* Server.TestServer
    const { key } = yield* Server.customer()
    for (let n = 1; n <= 12; n++) {
      const body = { name: `${markup} ${n}`, url: `https://site-${n}.example` }
      yield* Server.send("POST", "/api/v1/projects", { body, key })
    }
    const browser = yield* entered(key)
    yield* Effect.promise(async () => {
      const { evaluate, requested, until } = browser
      const before = requested.length
      await visit(browser, base)
      await until(`${has("of 12 sites")} && ${settled}`)
      expect(await evaluate(main)).toContain(`${markup} 12`)
      expect(await evaluate(isHurt)).toBe(false)
      const asked = requested.slice(before).filter((address) => address.startsWith(`${base}/api/`))
      expect(asked.length).toBeGreaterThan(0)
      expect(asked.length).toBeLessThanOrEqual(5)
    })
  })
})
