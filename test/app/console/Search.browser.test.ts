import { describe, expect } from "bun:test"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { untilComputed } from "../../../src/features/rankings/opportunities/Worker.ts"
import { chromium, type Tab, tab } from "../../browser.ts"
import { importInto, layer } from "../../features/rankings/storing.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { strayWords } from "../../words.ts"
import {
  element,
  enterAnew,
  fill,
  goTo,
  has,
  look,
  looks,
  main,
  measured,
  press,
  settled,
  violations,
  watchShifts
} from "./shown.ts"

/** The one browser of this file. */
class Browser extends Context.Tag("test/Browser")<Browser, Tab>() {}

const markup = "<img src=x onerror=globalThis.hurt=1>"

const days = 112
const first = Date.UTC(2026, 6, 1)
const dayAt = (at: number) => new Date(first + at * 86_400_000).toISOString().slice(0, 10)

/** 40 queries on 12 pages over sixteen weeks: one loses its clicks in the latest four, one is new in them, and one is markup. */
const rows = Array.from({ length: days }, (_, at) => {
  const isNow = at >= days - 28
  const season = 1 + 0.25 * Math.sin((at / 7) * 2 * Math.PI) + at / 400
  const row = (query: string | null, path: string, position: number, clicks: number, rate: number, device: string) => ({
    clicks: Math.round(clicks * season),
    country: at % 3 === 0 ? "fra" : "deu",
    data_date: dayAt(at),
    device,
    impressions: Math.round((clicks * season) / rate) + 5,
    query,
    search_type: "WEB",
    sum_position: Math.round((position - 1) * ((clicks * season) / rate + 5)),
    url: `https://example.com${path}`
  })
  return [
    ...Array.from({ length: 40 }, (_, n) =>
      row(
        `query ${n}`,
        `/page-${n % 12}`,
        1 + (n % 14),
        4 + (n % 9),
        0.3 / (1 + (n % 14)),
        n % 2 ? "MOBILE" : "DESKTOP"
      )
    ),
    row("fading boots", "/boots", 2, isNow ? 6 : 40, isNow ? 0.05 : 0.15, "MOBILE"),
    ...(isNow ? [row("new shoes", "/shoes", 3, 12, 0.1, "MOBILE")] : []),
    row(markup, "/page-1", 5, 9, 0.05, "DESKTOP"),
    row(null, "/page-2", 6, 8, 0.05, "MOBILE")
  ]
}).flat()

/** A site with search data, a change of the site, and a signed-in browser. */
const shop = Effect.gen(function* () {
  const { account, key } = yield* Server.customer()
  const { id } = yield* Server.projectOf(account)
  yield* importInto(id, "bigquery", [{ text: rows.map((row) => `${JSON.stringify(row)}\n`).join("") }])
  yield* untilComputed(id)
  const body = {
    connector: "recorded",
    deployed_at: `${dayAt(days - 20)}T10:00:00Z`,
    summary: "Shorter titles",
    url: "https://example.com/boots"
  }
  yield* Server.send("POST", `/api/v1/projects/${id}/interventions`, { body, key })
  const { base } = yield* Server.TestServer
  const browser = yield* Browser
  yield* Effect.promise(async () => {
    await look(browser, { scheme: "light", width: 1280 })
    await enterAnew(browser, base, key)
  })
  return { browser, id }
})

/** A site with rows by query and page alone, of all September and October: a query loses clicks in October. */
const byQuery = Effect.gen(function* () {
  const { account, key } = yield* Server.customer()
  const { id } = yield* Server.projectOf(account)
  const daily = Array.from({ length: 61 }, (_, at) => {
    const day = new Date(Date.UTC(2026, 8, 1 + at)).toISOString().slice(0, 10)
    return [
      `${day},boots,https://example.com/b,${at < 30 ? 10 : 4},100,3`,
      `${day},shoes,https://example.com/s,${at < 30 ? 1 : 3},50,4.5`
    ]
  })
  const text = ["Date,Query,Page,Clicks,Impressions,Position", ...daily.flat()].join("\n")
  yield* importInto(id, "gsc-csv", [{ text }])
  yield* untilComputed(id)
  const { base } = yield* Server.TestServer
  const browser = yield* Browser
  yield* Effect.promise(async () => {
    await look(browser, { scheme: "light", width: 1280 })
    await enterAnew(browser, base, key)
  })
  return { browser, id }
})

const cellsOf = (column: number) =>
  `[...document.querySelectorAll("main tbody tr")].map((row) => row.children[${column}].textContent)`

const clickOf = (selector: string, words = "") => `${element(selector, words)}.click()`

describe.skipIf(chromium === null)("the search screens of the console", () => {
  const it = suite(Layer.mergeAll(layer, Layer.scoped(Browser, tab(chromium ?? ""))), { timeout: 300_000 })

  it("show cards, a chart with values of a day for the keyboard, and tables by dimension", function* () {
    const { browser, id } = yield* shop
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `#/sites/${id}/search`)
      await until(`${has("data through")} && ${has("Clicks change")} && ${settled}`)
      expect(await evaluate(`document.querySelectorAll(".metric").length`)).toBe(4)
      expect(await evaluate(`document.querySelectorAll(".metric")[2].textContent`)).toMatch(
        /^CTR[\d.]+%[▲▼] [\d.]+ points from [\d.]+%$/
      )
      expect(await evaluate(main)).toContain("Shorter titles")
      expect(await evaluate(main)).toContain("Search Console hides rare queries")
      await evaluate(`document.querySelector(".trend input").focus()`)
      await browser.press("ArrowLeft", 37)
      await until(`document.querySelector(".cursor") !== null`)
      const said = String(await evaluate(`document.querySelector(".trend input").getAttribute("aria-valuetext")`))
      expect(said).toMatch(/^Oct \d+, 2026, Clicks: [\d,]+, Impressions: [\d,]+, Sep \d+, 2026, Clicks: /)
      await evaluate(clickOf(".metric", "Position"))
      await until(`${has("Position")} && document.querySelector("svg.x, .unit.m1").textContent === "Position"`)
      expect(await evaluate("location.hash")).toContain("show=impressions+position")
      for (const [name, says] of [
        ["Pages", "/boots"],
        ["Countries", "DEU"],
        ["Devices", "MOBILE"]
      ]) {
        await press(browser, element("main .tabs a", name ?? ""))
        await until(`${has(says ?? "")} && ${settled}`)
      }
      await press(browser, element("main td a, main th a", "DESKTOP"))
      await until(`${has("Device: DESKTOP")} && ${has("query 1")} && ${settled}`)
      await press(browser, element("button", "Device: DESKTOP"))
      await until(`!${has("Device: DESKTOP")} && ${settled}`)
      expect(await evaluate("globalThis.hurt !== undefined")).toBe(false)
    })
  })

  it("name the query that lost most clicks, open it with its pages, and find queries by a text", function* () {
    const { browser, id } = yield* shop
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `#/sites/${id}/search`)
      await press(browser, element("th button", "Clicks change"))
      await until(`${cellsOf(0)}[0] === "fading boots" && ${settled}`)
      expect(await evaluate(`document.querySelector("th[aria-sort]").ariaSort`)).toBe("ascending")
      await press(browser, element("main th a", "fading boots"))
      await until(`document.querySelector("h1").textContent === "fading boots" && ${has("/boots")} && ${settled}`)
      expect(await evaluate(main)).toContain("Pages for this query")
      await press(browser, element("main th a", "/boots"))
      await until(`${has("Queries of this page")} && ${has("fading boots")} && ${settled}`)
      await goTo(browser, `#/sites/${id}/search`)
      await fill(browser, "Query contains", "BOOTS")
      await until(`${cellsOf(0)}.length === 1 && ${settled}`)
      await goTo(browser, `#/sites/${id}/search?status=new`)
      await until(`${has("vs. previous 7 days")} && ${settled}`)
    })
  })

  it("compare own days with a year earlier, and say that a change needs a comparison", function* () {
    const { browser, id } = yield* shop
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      const [start, end] = [dayAt(10), dayAt(20)]
      await goTo(browser, `#/sites/${id}/search?start=${start}&end=${end}&compare=year`)
      await until(`${has("2025")} && ${settled}`)
      await goTo(browser, `#/sites/${id}/search?start=${start}&end=${end}&compare=none`)
      await until(`!${has("Clicks change")} && ${settled}`)
      await press(browser, element("button", "7 days"))
      await until(`!location.hash.includes("start=") && ${settled}`)
      expect(await evaluate(cellsOf(0))).not.toEqual([])
    })
  })

  it("compare a whole month with the month before, and say the days of the rows' changes", function* () {
    const { browser, id } = yield* byQuery
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `#/sites/${id}/search?range=month`)
      await until(`${has("Oct 1 – 31, 2026 vs. Sep 1 – 30, 2026")} && ${settled}`)
      expect(await evaluate(main)).toContain("Sum of listed queries")
      expect(await evaluate(`document.querySelector(".sums").textContent`)).toBe(
        "Clicks217▼ 34.2% from 330Impressions4,650▲ 3.3% from 4,500"
      )
      expect(await evaluate(main)).toContain("Changes in the table are vs. Aug 31 – Sep 30, 2026")
    })
  })

  it("of rows by query say in the same words what pages and experiments need, and link to the form", function* () {
    const { browser, id } = yield* byQuery
    const need = "Pages and experiments need a Search Console table by date and page."
    yield* Effect.promise(async () => {
      const { until } = browser
      for (const hash of [`#/sites/${id}/search?tab=pages`, `#/sites/${id}/experiments/new`]) {
        await goTo(browser, hash)
        await until(`${has(need)} && ${settled}`)
        await press(browser, element("main .empty a", "Import search data"))
        await until(`document.activeElement?.type === "file" && ${settled}`)
      }
      await goTo(browser, `#/sites/${id}`)
      await until(`${has("Queries imported. Totals need a Search Console table by date")} && ${settled}`)
      await until(has("Top loss: boots"))
    })
  })

  it("show an import's progress at the top, without the form and without a call to import", function* () {
    const browser = yield* Browser
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const { base } = yield* Server.TestServer
    const running = { created_at: "2026-11-01T00:00:00Z", error: null, finished_at: null, id: "one", status: "running" }
    yield* Effect.promise(async () => {
      const { answer, evaluate, until } = browser
      await enterAnew(browser, base, key)
      await answer("/rankings/imports/one", {
        body: JSON.stringify({ data: running, meta: {} }),
        headers: {},
        status: 200
      })
      await goTo(browser, `#/sites/${id}/search?import=one`)
      await until(`${has("Importing…")} && ${settled}`)
      expect(await evaluate(main)).toContain("You can leave this page")
      expect(await evaluate(main)).not.toContain("No search data yet")
      expect(await evaluate(`document.querySelector("input[type=file]")`)).toBeNull()
      await answer("/rankings/imports/one", null)
      await goTo(browser, `#/sites/${id}/search`)
      await until(has("No search data yet"))
      expect(await evaluate(`document.querySelector("input[type=file]") !== null`)).toBe(true)
    })
  })

  it("name the periods of position changes, also when no query changed so", function* () {
    const { browser, id } = yield* byQuery
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `#/sites/${id}/search?status=dropping`)
      await until(`${has("No queries declined in Oct 25 – 31, 2026 vs. previous 7 days")} && ${settled}`)
      expect(await evaluate(main)).toContain("Position changes, last 7 days vs. 7 before")
    })
  })

  it("keep their days and order while another tab of the site is shown", function* () {
    const { browser, id } = yield* byQuery
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `#/sites/${id}/search?start=2026-10-05&end=2026-10-11&sort=clicks&order=asc`)
      await until(`${cellsOf(0)}[0] === "shoes" && ${settled}`)
      await press(browser, element("header .tabs a", "Overview"))
      await until(`${has("Top loss")} && ${settled}`)
      await press(browser, element("header .tabs a", "Search"))
      await until(`${has("Oct 5 – 11, 2026")} && ${cellsOf(0)}[0] === "shoes" && ${settled}`)
      expect(await evaluate("location.hash")).toContain("start=2026-10-05")
    })
  })

  it("show a position before its change, each in its own column", function* () {
    const { browser, id } = yield* shop
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `#/sites/${id}/search`)
      await until(`${has("Position change")} && ${settled}`)
      const heads = `[...document.querySelectorAll("main thead th")].map((one) => one.textContent)`
      expect(await evaluate(heads)).toEqual([
        "Query",
        "Clicks ↕",
        "Clicks change ↕",
        "Impressions ↓",
        "CTR ↕",
        "Position ↕",
        "Position change ↕"
      ])
      expect(String(await evaluate(`${cellsOf(5)}.join()`))).toMatch(/^(\d+\.\d,?)+$/)
    })
  })

  it("link opportunities to their query or page, and show on request what may be chance", function* () {
    const { browser, id } = yield* shop
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `#/sites/${id}/search?tab=opportunities&kind=decay`)
      await until(`${has("/boots")} && ${settled}`)
      expect(await evaluate(main)).not.toContain("may be chance ")
      await goTo(browser, `#/sites/${id}/search?tab=opportunities&kind=low_ctr`)
      await until(`${has("Show all")} && ${settled}`)
      await evaluate(`document.querySelector("input[type=checkbox]").click()`)
      await until(`document.querySelector(".tag.quiet") !== null && ${settled}`)
      await goTo(browser, `#/sites/${id}/search?tab=opportunities&kind=decay`)
      await press(browser, element("main th a", "/boots"))
      await until(`${has("Queries of this page")} && ${settled}`)
    })
  })

  it("write numbers, percent and days in the form of the browser's language", function* () {
    const { browser, id } = yield* shop
    yield* Effect.promise(async () => {
      const { evaluate, send, until } = browser
      await send("Emulation.setLocaleOverride", { locale: "de-DE" })
      await send("Page.reload")
      for (const hash of [`#/sites/${id}/search`, `#/sites/${id}/search?tab=opportunities`, `#/sites/${id}`]) {
        await until(`document.readyState === "complete" && ${settled}`)
        await goTo(browser, hash)
        await until(`${settled} && /\\d\\.\\d{3}\\b/.test(${main})`)
        const text = String(await evaluate("document.querySelector('main').innerText"))
        expect(text.match(/\d,\d{3}\b|\d\.\d\d?\b(?!\.)|\d%|\b[A-Z][a-z]{2} \d+, 20\d\d/g)).toBeNull()
      }
      await send("Emulation.setLocaleOverride", {})
      await send("Page.reload")
      await until(`document.readyState === "complete" && ${settled}`)
    })
  })

  it("appear as a whole, so nothing moves while they load", function* () {
    const { browser, id } = yield* shop
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await look(browser, { scheme: "light", width: 400 })
      await watchShifts(browser)
      await browser.send("Page.reload")
      await until(`document.readyState === "complete" && ${settled}`)
      for (const hash of [`#/sites/${id}/search`, `#/sites/${id}/search/query?key=query+1`, `#/sites/${id}`]) {
        await goTo(browser, "#/elsewhere")
        await evaluate("globalThis.shift = 0")
        await goTo(browser, hash)
        await until(`document.querySelector(".fresh") === null && ${settled}`)
        // The observer hears of a frame after it.
        await evaluate("new Promise((seen) => requestAnimationFrame(() => setTimeout(seen, 100)))")
        expect([hash, Number(await evaluate("globalThis.shift")) <= 0.05]).toEqual([hash, true])
      }
    })
  })

  it("print on light paper without navigation and buttons, and no wider than a sheet", function* () {
    const { browser, id } = yield* shop
    yield* Effect.promise(async () => {
      const { evaluate, send, until } = browser
      await goTo(browser, `#/sites/${id}/search`)
      await until(`${has("Clicks change")} && ${settled}`)
      await send("Emulation.setDeviceMetricsOverride", {
        deviceScaleFactor: 1,
        height: 1000,
        mobile: false,
        width: 680
      })
      const dark = [{ name: "prefers-color-scheme", value: "dark" }]
      await send("Emulation.setEmulatedMedia", { features: dark, media: "print" })
      const shown = "header, nav, .actions, main button:not(.metric, .sort), select, input:not([type=range])"
      const seen = `[...document.querySelectorAll(${JSON.stringify(shown)})].filter((one) => one.checkVisibility()).length`
      expect(await evaluate(seen)).toBe(0)
      expect(await evaluate(measured)).toMatchObject({ dark: false, fits: true })
      await send("Emulation.setEmulatedMedia", { features: [], media: "" })
    })
  })

  it("fit every window, pass axe, and use the glossary's words", function* () {
    const { browser, id } = yield* shop
    const pictures = Bun.env.PICTURES
    yield* Effect.promise(async () => {
      const { evaluate, send, until } = browser
      const at = `#/sites/${id}/search`
      const screens = [
        ["queries", at],
        ["devices", `${at}?tab=devices&show=ctr+position`],
        ["query", `${at}/query?key=fading+boots`],
        ["changes", `${at}?status=climbing`],
        ["striking", `${at}?tab=opportunities`],
        ["lowctr", `${at}?tab=opportunities&kind=low_ctr&all=1`],
        ["rivals", `${at}?tab=opportunities&kind=cannibalisation`],
        ["decay", `${at}?tab=opportunities&kind=decay&all=1`],
        ["snapshots", `${at}?tab=snapshots`]
      ] as const
      for (const [name, hash] of screens)
        for (const one of looks) {
          await look(browser, one)
          await goTo(browser, hash)
          await until(settled)
          const { fits, nodes } = await evaluate(measured)
          expect([name, one.width, fits, nodes <= 600, await violations(browser)]).toEqual([
            name,
            one.width,
            true,
            true,
            []
          ])
          expect([name, strayWords(String(await evaluate("document.body.innerText")))]).toEqual([name, []])
          if (pictures === undefined) continue
          await evaluate(`document.querySelector(".trend input")?.focus()`)
          const { data } = await send("Page.captureScreenshot", { captureBeyondViewport: true, format: "png" })
          await Bun.write(`${pictures}/${name}-${one.width}.png`, Buffer.from(data, "base64"))
        }
    })
  })
})
