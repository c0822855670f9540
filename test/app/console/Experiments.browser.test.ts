import { describe, expect } from "bun:test"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { chromium, type Tab, tab } from "../../browser.ts"
import { create, folders, layer, marketer, world } from "../../features/experiments/design/designing.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import {
  element,
  enterAnew,
  field,
  goTo,
  has,
  look,
  main,
  pick,
  press,
  settled,
  violations,
  walkTo,
  write
} from "./shown.ts"

/** The one browser of this file. */
class Browser extends Context.Tag("test/Browser")<Browser, Tab>() {}

/** A customer with a site with page data, signed in. */
const entered = Effect.gen(function* () {
  const { base } = yield* Server.TestServer
  const browser = yield* Browser
  const of = yield* marketer(world)
  const send = (method: string, path: string, body?: unknown) =>
    Server.send(method, `/api/v1${path}`, { body, key: of.key })
  yield* Effect.promise(async () => {
    await look(browser, { scheme: "light", width: 1280 })
    await enterAnew(browser, base, of.key)
  })
  return { browser, of, send, tab: `#/sites/${of.site}/experiments` }
})

describe.skipIf(chromium === null)("the experiments of a site in a browser", () => {
  const it = suite(Layer.merge(layer, Layer.scoped(Browser, tab(chromium ?? ""))), { timeout: 120_000 })

  it("lead from pages, power and assignment to a start, with errors at their fields", function* () {
    const { browser, of, send, tab } = yield* entered
    yield* send("DELETE", `/growth-projects/${of.project}`)
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, tab)
      await press(browser, element("main a", "New experiment"), walkTo)
      await until(`${settled} && ${field("Pattern of pages")} !== undefined`)
      expect(await violations(browser)).toEqual([])
      await write(browser, "Name", "Shorter titles")
      await write(browser, "Pattern of pages", "blog")
      await press(browser, element("button", "Save draft"))
      await until(`${element("fieldset [role=alert]")}?.textContent.includes("Must be a path that starts with /")`)
      await write(browser, "Pattern of pages", "/*")
      await until(has("Matches 20 of 20 pages"))
      await press(browser, element("button", "Save draft"))
      await until(`${settled} && ${has("Minimum detectable effect with 28 days")}`)
      await pick(browser, "Measurement", "56")
      await until(has("56 days (chosen)"))
      await press(browser, element("main a", "Continue"))
      await until(`${settled} && ${has("Findable assigned 20 pages randomly")}`)
      await press(browser, element("button", "Assign again"))
      await until(has("this is assignment 2"))
      await press(browser, element("button", "Save and continue"))
      await until(`${settled} && ${element("button", "Start experiment")} !== undefined`)
      expect(await evaluate("location.hash")).toContain("?step=start")
      await press(browser, element("button", "Start experiment"))
      await until(`${settled} && ${has("No interim result yet")}`)
      expect(await evaluate(main)).not.toContain("rowth")
    })
    const { body } = yield* send("GET", "/experiments")
    expect(body.data).toMatchObject([{ assignment: { draws: 2 }, design: { post_days: 56 }, status: "running" }])
    expect((yield* send("GET", "/growth-projects")).body.data).toMatchObject([{ domain: "example.com" }])
  })

  it("show a verdict in a sentence, the days of both groups with the change, and limitations", function* () {
    const { browser, of, send, tab } = yield* entered
    const { body } = yield* create(of, yield* folders(of.site))
    const { id } = body.data
    yield* send("POST", `/experiments/${id}/start`, {})
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await goTo(browser, `${tab}/${id}`)
      await press(browser, element("button", "Finish and get the result"))
      await until(`${settled} && ${has("Increase of clicks by")} && ${has("Limitations (1)")}`)
      const texts = await evaluate(`[...document.querySelectorAll("figure svg text")].map((one) => one.textContent)`)
      expect(texts).toContain("0%, no effect")
      expect(texts).toContain("Change")
      expect(await violations(browser)).toEqual([])
      await press(browser, element("summary", "Delete experiment"))
      await write(browser, "Type Shorter titles to confirm", "Shorter titles")
      await press(browser, element("button", "Delete experiment"))
      await until(`${settled} && ${has("No experiments yet")}`)
    })
    expect((yield* send("GET", "/experiments")).body.data).toEqual([])
  })

  it("belong to the domain of the site", function* () {
    const { browser, of, tab } = yield* entered
    yield* create(of, yield* folders(of.site))
    const { id: other } = yield* Server.projectOf(of.account, "https://other.example")
    yield* Effect.promise(async () => {
      await goTo(browser, tab)
      await browser.until(has("Shorter titles"))
      await goTo(browser, `#/sites/${other}/experiments`)
      await browser.until(has("No experiments yet"))
      expect(await browser.evaluate(main)).not.toContain("Shorter titles")
      await goTo(browser, `#/sites/${other}/experiments/new`)
      await browser.until(has("No page data yet"))
    })
  })
})
