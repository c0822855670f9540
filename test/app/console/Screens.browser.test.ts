import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { chromium, type Tab, tab } from "../../browser.ts"
import { check, node, report, table } from "../../features/audits/reports.ts"
import { csvOf, folders, world } from "../../features/experiments/design/designing.ts"
import { receiver } from "../../features/webhooks/receiver.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { element, enter, goTo, look, looks, measured, press, settled, violations, visit } from "./shown.ts"

if (chromium === null) console.warn("NOTICE: no Chromium on this machine, the console is not looked at")

const it = suite(Server.layerWithWorkers)

const main = "document.querySelector('main').textContent"
const has = (text: string) => `${main}.includes(${JSON.stringify(text)})`

/** Looks at the screen in both windows: nothing that axe has against it, and no way sideways. */
const fitting = async (browser: Tab) => {
  for (const one of looks) {
    await look(browser, one)
    expect([one, await violations(browser)]).toEqual([one, []])
    expect(await browser.evaluate(measured)).toMatchObject({ dark: one.scheme === "dark", fits: true })
  }
}

/** Puts a file into the field of files, or drops it beside, as people do. */
const give = (text: string, name: string, how: "choose" | "drop") => `(() => {
  const files = new DataTransfer()
  files.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}))
  const form = document.querySelector("form.drop")
  if (${how === "drop"}) form.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files }))
  else form.querySelector("input[type=file]").files = files.files
})()`

const days = ["2026-10-01", "2026-10-02", "2026-10-08", "2026-10-09"]
const title = "<img src=x onerror=alert(1)>"

/** Two queries, of which one climbs and one is lost. */
const queries = [
  "Date,Query,Page,Clicks,Impressions,Position",
  ...days.map((day, index) => `${day},${title},https://example.com/a,${5 + index},90,${index < 2 ? 9 : 7.5}`),
  ...days.slice(0, 2).map((day) => `${day},boots,https://example.com/b,2,40,12`)
].join("\n")

const marketer = Effect.gen(function* () {
  const { account, key } = yield* Server.customer()
  const { id: site } = yield* Server.projectOf(account)
  return { key, site }
})

/** Enters in a browser of its own. */
const entered = Effect.fnUntraced(function* (key: string) {
  const { base } = yield* Server.TestServer
  const browser = yield* tab(chromium ?? "")
  yield* Effect.promise(async () => {
    await look(browser, { scheme: "light", width: 1200 })
    await visit(browser, base)
    await enter(browser, key)
  })
  return browser
})

describe.skipIf(chromium === null)("in a browser the console", () => {
  it.effect(
    "imports search data from a file, and shows what moved, one query by day, and what cannot be said yet",
    () =>
      Effect.gen(function* () {
        const { key, site } = yield* marketer
        const browser = yield* entered(key)
        yield* Effect.promise(async () => {
          const { evaluate, until } = browser
          // One site has no list: the address leads on.
          await evaluate(`location.hash = "#/rankings"`)
          await until(`location.hash === "#/rankings/${site}" && ${has("No search data yet")} && ${settled}`)
          expect(await evaluate(main)).toContain("findable rankings connect")

          await evaluate(give(`${queries}\n2026-10-09,boots,https://example.com/b,9,4,12`, "wrong.csv", "drop"))
          await until(has("Nothing was imported"))
          expect(await evaluate(main)).toMatch(/Line 8.*invalid_file/)

          await evaluate(give(queries, "right.csv", "choose"))
          await press(browser, element("button", "Import"))
          await until(`${has("6 rows imported")} && ${has("data through")} && ${settled}`)
          const shown = await evaluate(main)
          expect(shown).toContain("No property totals imported")
          expect(shown).toContain("9 → 7.5 climbing")
          expect(shown).toContain(title)
          await fitting(browser)

          await press(browser, element("button", "Lost 1"))
          await until(`${has("lost, was 12")} && !${has("→")} && ${settled}`)
          expect(await evaluate(main)).not.toContain(title)
          await press(browser, element("button", "All 2"))
          await press(browser, element("a", title))
          await until(
            `document.querySelector("h1").textContent === ${JSON.stringify(title)} && ${has("Position by day")}`
          )
          await until(settled)
          expect(await evaluate(`document.activeElement.tagName`)).toBe("H1")
          await fitting(browser)

          await goTo(browser, `#/rankings/${site}?kind=decay`)
          await until(has("It cannot be said yet"))
          expect(await evaluate(main)).toMatch(/\d+ days/)
          expect(browser.complaints.filter((one) => !one.includes("404"))).toEqual([])
        })
      })
  )

  it.effect("shows the audits of a page with who measured what, and what to repair", () =>
    Effect.gen(function* () {
      const { key } = yield* marketer
      const json = report({
        accessibility: { "image-alt": check(0, { details: table({ node: node("main > img") }) }) },
        performance: { "largest-contentful-paint": check(0.5, { numericValue: 3000 }) }
      })
      yield* Server.send("POST", "/api/v1/audits/imports", { body: json, key })
      const browser = yield* entered(key)
      yield* Effect.promise(async () => {
        const { evaluate, until } = browser
        await goTo(browser, "#/audits")
        await press(browser, element("main a"))
        await until(`${has("lab: one run of Lighthouse")} && ${has("the most severe first")} && ${settled}`)
        expect(await evaluate(main)).toContain("Interaction to Next Paintnot measured")
        await press(browser, element("details.finding summary"))
        await until(`${element("button", "Copy the prompt")} !== undefined`)
        await fitting(browser)
      })
    })
  )

  it.effect("says what an experiment can show before it begins, and what came out", () =>
    Effect.gen(function* () {
      const { key, site } = yield* marketer
      const send = (method: string, path: string, body?: unknown) =>
        Effect.map(Server.send(method, `/api/v1${path}`, { body, key }), ({ body }) => body.data)
      const { id } = yield* send("POST", `/projects/${site}/rankings/imports?format=gsc-csv`, yield* csvOf(world))
      const { id: project_id } = yield* send("POST", "/growth-projects", { domain: "example.com" })
      const design = yield* folders(site)
      const draft = yield* send("POST", "/experiments", { design, name: "Next", project_id })
      const made = yield* send("POST", "/experiments", { design, name: "Shorter titles", project_id })
      const imported = send("GET", `/projects/${site}/rankings/imports/${id}`)
      yield* Effect.repeat(imported, { until: ({ finished_at }) => finished_at !== null })
      yield* send("POST", `/experiments/${made.id}/start`)
      yield* send("POST", `/experiments/${made.id}/evaluate`, {})
      const browser = yield* entered(key)
      yield* Effect.promise(async () => {
        const { evaluate, until } = browser
        await goTo(browser, "#/experiments")
        expect(await evaluate(main)).toContain("increase, +")
        await press(browser, element("a", "Shorter titles"))
        await until(`${has("Increase of clicks by")} && document.querySelector("path.zero") !== null && ${settled}`)
        expect(await evaluate(main)).toMatch(/weakens? this verdict/)
        await fitting(browser)
        await goTo(browser, `#/experiments/${draft.id}`)
        await until(has("is found in four of five experiments"))
      })
    })
  )

  it.effect("shows each attempt of a delivery, sends it again, and pings", () =>
    Effect.gen(function* () {
      const { key } = yield* marketer
      const { answerWith, url } = yield* receiver(() => new Response("<script>alert(1)</script>", { status: 500 }))
      const body = { events: ["audit.completed"], url }
      const { body: created } = yield* Server.send("POST", "/api/v1/webhooks", { body, key })
      const { id } = created.data
      yield* Server.send("POST", `/api/v1/webhooks/${id}/test`, { body: { type: "audit.completed" }, key })
      const browser = yield* entered(key)
      yield* Effect.promise(async () => {
        const { complaints, evaluate, until } = browser
        await goTo(browser, "#/webhooks")
        await until(`${has(": 500")} && ${settled}`)
        await press(browser, element("a", url))
        await until(`${has("Failing since")} && ${settled}`)
        await press(browser, element("summary", "500"))
        await until(`${has("status 500")} && ${has("next attempt")}`)
        expect(await evaluate(main)).toContain("<script>alert(1)</script>")
        answerWith(() => new Response("thanks"))
        await press(browser, element("button", "Ping"))
        await until(`${has("It was accepted")} && ${has("Signatureverifies")}`)
        await press(browser, element("button", "Send again"))
        await until(`${has("attempts: 200")} && ${has("1 delivered")}`)
        await fitting(browser)
        expect(complaints).toEqual([])
      })
    })
  )
})
