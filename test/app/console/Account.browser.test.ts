import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Sessions } from "../../../src/features/accounts/Sessions.ts"
import { sessionScopes } from "../../../src/features/accounts/SessionsApi.ts"
import { chromium, type Tab, tab } from "../../browser.ts"
import { receiver } from "../../features/webhooks/receiver.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"
import {
  element,
  enter,
  field,
  fill,
  goTo,
  has,
  look,
  looks,
  main,
  measured,
  pick,
  press,
  settled,
  violations,
  visit,
  write
} from "./shown.ts"

const it = suite(Layer.provideMerge(Sessions.Default, Server.layerWithWorkers), { timeout: 240_000 })

const signedOut = `${element("button", "Sign in")} !== undefined && ${settled}`

/** A tab that shows a screen, signed in with the key. */
const enteredAt = (base: string, key: string, hash: string) =>
  Effect.tap(tab(chromium ?? ""), (browser) =>
    Effect.promise(async () => {
      await look(browser, { scheme: "light", width: 1280 })
      await visit(browser, base, hash)
      await enter(browser, key)
    })
  )

/** The problems of a screen in both looks. */
const faultsOf = async (browser: Tab) => {
  const faults: Array<unknown> = []
  for (const one of looks) {
    await look(browser, one)
    faults.push(...(await violations(browser)))
    if (!(await browser.evaluate(measured)).fits) faults.push(`${one.width}: wider than its window`)
  }
  await look(browser, { scheme: "light", width: 1280 })
  return faults
}

describe.skipIf(chromium === null)("the tabs of a console", () => {
  it("share the key: a deep link opens in a new tab, and signing out ends all tabs of the key alone", function* () {
    const { base } = yield* Server.TestServer
    const { key } = yield* Server.customer()
    const other = yield* Server.customer()
    const browser = yield* enteredAt(base, key, "#/sites")
    yield* Effect.promise(async () => {
      const second = await browser.another()
      await visit(second, base, "#/settings/account")
      await second.until(has("Agency Team"))
      expect(await second.evaluate("Object.keys(localStorage).length + document.cookie.length")).toBe(0)

      const third = await browser.another()
      await visit(third, base, "#/settings/account")
      await third.until(has("Agency Team"))
      await press(third, element("button", "Sign out"))
      for (const one of [browser, second, third]) await one.until(`${signedOut} && ${has("still valid")}`)

      await enter(browser, key)
      await enter(second, other.key)
      await press(browser, element("button", "Sign out"))
      await browser.until(signedOut)
      await goTo(second, "#/webhooks")
      expect(await second.evaluate(main)).toContain("No endpoints yet")
    })
  })

  it("all end when the server rejects the key", function* () {
    const { base } = yield* Server.TestServer
    const { key } = yield* Server.customer()
    const browser = yield* enteredAt(base, key, "#/sites")
    const { second } = yield* Effect.promise(async () => {
      const second = await browser.another()
      await visit(second, base, "#/webhooks")
      await second.until(has("No endpoints yet"))
      return { second }
    })
    yield* Server.send("DELETE", "/api/v1/key", { key })
    yield* Effect.promise(async () => {
      await browser.evaluate(`location.hash = "#/events"`)
      for (const one of [browser, second])
        await one.until(`document.querySelector("h1")?.textContent === "API key rejected" && ${has("Sign in again")}`)
      expect(await second.evaluate("location.hash")).toBe("#/webhooks")
    })
  })

  it("say on the whole page that the server does not respond, and go on when it does", function* () {
    const { base } = yield* Server.TestServer
    const { key } = yield* Server.customer()
    const browser = yield* enteredAt(base, key, "#/webhooks")
    yield* Effect.promise(async () => {
      const second = await browser.another()
      await second.send("Page.addScriptToEvaluateOnNewDocument", {
        source: `const ask = fetch; globalThis.isAway = true
          globalThis.fetch = (...of) => globalThis.isAway ? Promise.reject(new TypeError("away")) : ask(...of)`
      })
      await visit(second, base, "#/webhooks")
      await second.until(`document.querySelector("h1")?.textContent === "Can’t reach the server" && ${settled}`)
      expect(await faultsOf(second)).toEqual([])
      await second.evaluate("globalThis.isAway = false")
      await press(second, element("button", "Try again"))
      await second.until(has("No endpoints yet"))
    })
  })
})

/** The message for screen readers. */
const said = "document.querySelector('[aria-live=polite]').textContent"

/** Whether the shown delivery has this response to its last attempt; there are more attempts as time goes on. */
const responded = (status: number) => `/Response(?: to attempt \\d+)?: ${status}/.test(${main})`

describe.skipIf(chromium === null)("the screens of an account", () => {
  it("add an endpoint, send it a test, show what went over the wire, roll its secret and delete it", function* () {
    const { base } = yield* Server.TestServer
    const { key } = yield* Server.customer()
    const { answerWith, url } = yield* receiver(() => new Response('{"error":"<b>no</b>"}', { status: 500 }))
    const browser = yield* enteredAt(base, key, "#/webhooks")
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await press(browser, element("button", "Add endpoint"))
      await until(`${element("label.check", "site_health.completed")} !== undefined && ${settled}`)
      // A disabled button says why.
      expect(await evaluate(`${element("form button", "Add endpoint")}.disabled && ${has("Select an event")}`)).toBe(
        true
      )
      expect(await faultsOf(browser)).toEqual([])
      await write(browser, "Description", "Slack, SEO channel")
      await evaluate(`${element("label.check", "site_health.completed")}.querySelector("input").click()`)
      await fill(browser, "Endpoint URL", url)
      await until(`${field("Signing secret")} !== undefined`)
      const secret = await evaluate(`${field("Signing secret")}.value`)
      expect(secret).toStartWith("whsec_")
      await press(browser, element("a", "Open the endpoint"))
      await until(`document.querySelector("h1")?.textContent === "Slack, SEO channel" && ${settled}`)

      await press(browser, element("button", "Send test"))
      await until(`${field("Event type")}?.value === "site_health.completed"`)
      await pick(browser, "Event type", "ranking.dropped")
      await press(browser, element("button", "Send test event"))
      await until(`location.hash.includes("/dlv_") && ${responded(500)}`)
      await until(
        `${element("dd", "The endpoint returned 500")} !== undefined && ${element("h2", "Ranking dropped")} !== undefined`
      )
      const text = (label: string) => `document.querySelector("textarea[aria-label='${label}']").value`
      expect(await evaluate(text("Response body"))).toContain("<b>no</b>")
      expect(await evaluate(text("Request body"))).toContain('"test": true')
      // A new attempt may bring closed parts.
      await until(`${has("webhook-signature")} && ${has("content-length")}`, () =>
        evaluate(`document.querySelectorAll(".panes details:not([open]) > summary").forEach((one) => one.click())`)
      )
      expect(await faultsOf(browser)).toEqual([])

      // The message goes along with the action that leads to another screen.
      expect(await evaluate(said)).toBe("Test event queued.")

      // A deep link to the delivery, in a new tab.
      const hash = String(await evaluate("location.hash"))
      const second = await browser.another()
      await visit(second, base, hash)
      await second.until(responded(500))

      answerWith(() => new Response("thanks"))
      await press(browser, element("[aria-label='Chosen delivery'] button", "Resend"))
      await until(responded(200))
      // The head of the endpoint has the new count without a reload of the page.
      await until(has("1 delivered, 0 failed, 0 pending"))

      await press(browser, element("button", "Roll secret"))
      await press(browser, element("[aria-label='Roll secret'] button", "Roll secret"))
      await until(`${field("New signing secret")} !== undefined`)
      expect(await evaluate(`${field("New signing secret")}.value`)).not.toBe(secret)
      await press(browser, element("button", "Disable"))
      await until(`${element("button", "Enable")} !== undefined && ${element(".tag", "disabled")} !== undefined`)

      await press(browser, element("button", "Delete"))
      await until(`${element("button", "Delete endpoint")} !== undefined`)
      expect(await evaluate(`${element("button", "Delete endpoint")}.disabled`)).toBe(true)
      await fill(browser, "Type Slack, SEO channel to confirm", "Slack, SEO channel")
      await until(`location.hash === "#/webhooks" && ${has("No endpoints yet")}`)
      // The message of an action ends with its screen.
      expect(await evaluate(said)).toBe("")
      expect(await evaluate(`${element("summary", "Use the API")} !== undefined`)).toBe(true)
      expect(browser.complaints).toEqual([])
    })
  })

  it("tell events by day with their site and data, filter them, and lead to their things", function* () {
    const { base } = yield* Server.TestServer
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account, "http://127.0.0.1:2")
    const { body } = yield* Server.send("POST", `/api/v1/projects/${id}/site-health/runs`, { body: {}, key })
    yield* until(Server.send("GET", "/api/v1/events", { key }), ({ body }) => body.data.length === 2, "100 millis")
    const browser = yield* enteredAt(base, key, "#/events")
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await until(`${element(".feed li", "site_health.failed")} !== undefined && ${settled}`)
      expect(await evaluate(`document.querySelectorAll(".feed li").length`)).toBe(2)
      await press(browser, element(".feed summary", "Data"))
      await until(`document.querySelector(".feed textarea")?.value.includes("start_unreachable")`)
      expect(await faultsOf(browser)).toEqual([])
      await pick(browser, "Event type", "site_health.failed")
      await until(`document.querySelectorAll(".feed li").length === 1`)
      await pick(browser, "Site", id)
      await until(`location.hash.includes("site=${id}") && ${settled}`)
      expect(await evaluate(`document.querySelectorAll(".feed li").length`)).toBe(1)
      await press(browser, element(".feed p a", "failed: "))
      await until(`location.hash === "#/sites/${id}/health/${body.data.id}" && ${settled}`)
    })
  })

  it("create a key that ends in a week, show it once, and revoke it", function* () {
    const { base } = yield* Server.TestServer
    const { key } = yield* Server.customer()
    const browser = yield* enteredAt(base, key, "#/settings")
    const made = yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await press(browser, element("button", "Create API key"))
      await pick(browser, "Expires", "7")
      const ticked = `[...document.querySelectorAll("label.check:has(input:checked)")].map((one) => one.textContent).join()`
      expect(await evaluate(ticked)).toMatch(/^ ?Read sites.*Read webhooks/)
      expect(await evaluate(ticked)).not.toContain("write")
      await press(browser, element("button", "Clear selection"))
      await until(`${ticked} === ""`)
      await evaluate(`${element("label.check", "Read crawls and issues")}.querySelector("input").click()`)
      expect(await faultsOf(browser)).toEqual([])
      await fill(browser, "Name", "Weekly report")
      await until(`${field("API key")} !== undefined`)
      const made = String(await evaluate(`${field("API key")}.value`))
      await evaluate(`${element("label.check", "I have copied the key")}.querySelector("input").click()`)
      await press(browser, element("button", "Close"))
      await until(`${has("Weekly report")} && ${has("in 6 days")} && ${settled}`)
      expect(await evaluate(main)).not.toContain(made)
      return made
    })
    const own = yield* Server.send("GET", "/api/v1/key", { key: made })
    expect(own.body.data).toMatchObject({ name: "Weekly report", scopes: ["site-health:read"] })
    yield* Effect.promise(async () => {
      const { until } = browser
      await press(
        browser,
        `[...document.querySelectorAll("tr")].find((row) => row.textContent.includes("Weekly report"))?.querySelector("button.danger")`
      )
      await fill(browser, "Type Weekly report to confirm", "Weekly report")
      await until(`!${has("Weekly report")} && ${settled}`)
    })
    expect((yield* Server.send("GET", "/api/v1/key", { key: made })).status).toBe(401)
  })

  it("edit a key, and rotate it: the new text is shown once, and the old key stays valid meanwhile", function* () {
    const { base } = yield* Server.TestServer
    const { account, key } = yield* Server.customer()
    const old = yield* Server.keyWith(account, ["projects:read"])
    const { body } = yield* Server.send("GET", "/api/v1/key", { key: old })
    const browser = yield* enteredAt(base, key, "#/settings")
    const made = yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      const button = (word: string) =>
        `[...document.querySelectorAll("tr")].find((row) => row.textContent.includes(${JSON.stringify(body.data.display)}))?.querySelectorAll("button")[${["Edit", "Rotate"].indexOf(word)}]`
      await press(browser, button("Edit"))
      await until(`${field("Name")} !== undefined`)
      await write(browser, "Name", "Dashboard")
      await evaluate(`${element("label.check", "Read crawls and issues")}.querySelector("input").click()`)
      await press(browser, element("button", "Save key"))
      await until(`${has("Dashboard")} && ${settled}`)
      await press(browser, button("Rotate"))
      await until(`${field("The old key stays valid for")} !== undefined`)
      await press(browser, element("button", "Rotate key"))
      await until(`${field("API key")} !== undefined`)
      return String(await evaluate(`${field("API key")}.value`))
    })
    for (const one of [old, made]) {
      const { body } = yield* Server.send("GET", "/api/v1/key", { key: one })
      expect(body.data).toMatchObject({ name: "Dashboard", scopes: ["projects:read", "site-health:read"] })
    }
  })

  it("name the scope that a key lacks, and show the server to the administrator's session", function* () {
    const { base } = yield* Server.TestServer
    const { account } = yield* Server.customer()
    const { invite } = yield* Sessions
    const { code } = yield* invite(account, { scopes: sessionScopes.operator, seconds: 3600 })
    const reader = yield* Server.keyWith(account, ["projects:read", "webhooks:read"])
    const browser = yield* enteredAt(base, reader, "#/settings")
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await until(has("lacks the scope keys:manage"))
      await goTo(browser, "#/webhooks")
      expect(await evaluate(`${element("button", "Add endpoint")}.disabled`)).toBe(true)
      expect(await evaluate(main)).toContain("webhooks:manage")
      await goTo(browser, "#/settings/account")
      await until(`document.querySelectorAll("progress").length === 6`)
      expect(await faultsOf(browser)).toEqual([])
      await goTo(browser, "#/settings/server")
      await until(has("lacks the scope server:read"))
      expect(await faultsOf(browser)).toEqual([])
      await evaluate(`location.hash = "#login=${code}"`)
      await until(`location.hash === "#/sites" && ${settled}`)
      await goTo(browser, "#/settings/server")
      await until(`${has("No backup yet")} && ${has("Largest tables")} && ${has("Webhook deliveries")}`)
      expect(await faultsOf(browser)).toEqual([])
    })
  })
})
