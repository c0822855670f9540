import { describe, expect } from "bun:test"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chromium, type Tab, tab } from "../../browser.ts"
import { report } from "../../features/audits/reports.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { attach, element, enterAnew, goTo, has, look, main, press, settled, write } from "./shown.ts"

/** The one browser of this file. */
class Browser extends Context.Tag("test/Browser")<Browser, Tab>() {}

const on = (url: string, device: "desktop" | "mobile") =>
  report({}, { configSettings: { formFactor: device }, finalDisplayedUrl: url, finalUrl: url, requestedUrl: url })

/** A customer with two sites, signed in. */
const entered = Effect.gen(function* () {
  const { base } = yield* Server.TestServer
  const browser = yield* Browser
  const { account, key } = yield* Server.customer()
  const { id } = yield* Server.projectOf(account)
  const { id: other } = yield* Server.projectOf(account, "https://other.example")
  const send = (method: string, path: string, body?: unknown) => Server.send(method, `/api/v1${path}`, { body, key })
  yield* Effect.promise(async () => {
    await look(browser, { scheme: "light", width: 1280 })
    await enterAnew(browser, base, key)
  })
  return { browser, id, other, send }
})

const pages = `[...document.querySelectorAll("tbody th a")].map((link) => link.textContent)`

describe.skipIf(chromium === null)("the audits of a site in a browser", () => {
  const it = suite(Layer.merge(Server.layerWithWorkers, Layer.scoped(Browser, tab(chromium ?? ""))), {
    timeout: 240_000
  })

  it("belong to its pages, narrowed to a device, with each score as a named ring", function* () {
    const { browser, id, send } = yield* entered
    yield* send("POST", "/audits/imports", on("https://example.com/a", "mobile"))
    yield* send("POST", "/audits/imports", on("https://www.example.com/b", "desktop"))
    yield* send("POST", "/audits/imports", on("https://other.example/c", "mobile"))
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `#/sites/${id}/audits`)
      await until(has("/a"))
      expect(await evaluate(pages)).toEqual(["/a", "/b"])
      const rings = `[...document.querySelector("tbody tr").querySelectorAll("svg")].map((ring) => ring.ariaLabel)`
      expect(await evaluate(rings)).toEqual([
        "Performance: 90 of 100, good",
        "Accessibility: 80 of 100, needs improvement",
        "Best practices: 70 of 100, needs improvement",
        "SEO: 60 of 100, needs improvement"
      ])
      await press(browser, element("button", "Desktop"))
      await until(`${settled} && (${pages}).join() === "/b"`)
      await press(browser, element("tbody a", "/b"))
      await until(`${settled} && ${has("Good up to 2.5 s, poor above 4 s")}`)
      expect(await evaluate("location.hash")).toContain("device=desktop")
    })
  })

  it("are imported from a file, which is named where it is no report", function* () {
    const { browser, id } = yield* entered
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `#/sites/${id}/audits?open=import`)
      await until(`document.querySelector("input[type=file]") !== null`)
      for (const [text, name, said] of [
        [JSON.stringify({ lighthouseVersion: "13.0.0" }), "half.json", "half.json"],
        [
          JSON.stringify(on("https://example.com/new", "mobile")),
          "report.json",
          "Imported report.json: https://example.com/new"
        ],
        [
          JSON.stringify(on("https://other.example/c", "mobile")),
          "other.json",
          "it is listed under that site, not here"
        ]
      ] as const) {
        await attach(browser, name, text)
        await press(browser, element("button.main", "Import report"))
        await until(has(said))
      }
      expect(await evaluate(pages)).toEqual(["/new"])
    })
  })

  it("begin now by a schedule, which the screen says, and end with its removal", function* () {
    const { browser, id, send } = yield* entered
    yield* Effect.promise(async () => {
      await goTo(browser, `#/sites/${id}/audits`)
      await browser.until(has("starts now and repeats"))
      await write(browser, "Page URL", "https://elsewhere.example/")
      await browser.until(has("This page is on elsewhere.example"))
      expect(await browser.evaluate(`${element("button", "Run audit")}.disabled`)).toBe(true)
      await write(browser, "Page URL", "example.com/prices")
      await press(browser, element("button", "Run audit"))
      await browser.until(has("Auditing /prices on mobile"))
    })
    const { body } = yield* send("GET", "/audit-schedules")
    expect(body.data).toMatchObject([{ device: "mobile", every: "7d", url: "https://example.com/prices" }])
    yield* Effect.promise(async () => {
      await press(browser, element("button", "Schedules"))
      await press(browser, element("td button", "Remove"))
      await browser.until(has("No page is audited on a schedule yet"))
      expect(await browser.evaluate(main)).not.toContain("/prices on mobile every")
    })
    expect((yield* send("GET", "/audit-schedules")).body.data).toEqual([])
  })
})
