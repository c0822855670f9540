import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { chromium, tab } from "../../browser.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
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
  press,
  refusal,
  settled,
  violations,
  visit
} from "./shown.ts"

if (chromium === null) console.warn("NOTICE: no Chromium on this machine, the console is not looked at")

const it = suite(Server.layerWithWorkers, { timeout: 240_000 })

const page = (title: string, body: string) =>
  new Response(`<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${body}</html>`, {
    headers: { "content-type": "text/html; charset=utf-8" }
  })

/** A small site with a broken link, and with markup as its title. */
const site = Effect.acquireRelease(
  Effect.sync(() =>
    Bun.serve({
      fetch: ({ url }) => {
        const { pathname } = new URL(url)
        if (pathname === "/")
          return page("&lt;img src=x onerror=alert(1)&gt;", '<a href="/dead">gone</a><a href="/a">a</a>')
        return pathname === "/a" ? page("A", '<a href="/">home</a>') : new Response("", { status: 404 })
      },
      hostname: "127.0.0.1",
      port: 0
    })
  ),
  (server) => Effect.promise(() => server.stop(true))
)

describe.skipIf(chromium === null)("the console in a browser", () => {
  it("adds a site, follows its crawl, lists what to fix, and asks this server alone", function* () {
    const { base } = yield* Server.TestServer
    const { key } = yield* Server.customer()
    const { url } = yield* site
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { complaints, evaluate, requested, until } = browser
      await look(browser, { scheme: "light", width: 1200 })
      await visit(browser, base)
      await enter(browser, key)
      await until(`${main}.includes("Add your first site")`)
      await fill(browser, "Website URL", url.href)
      await until(`/^#\\/sites\\/.*\\/health\\/./.test(location.hash) && ${main}.includes("Crawl complete.")`)
      await until(`${main}.includes("Top fixes") && ${settled}`)
      expect(await evaluate(main)).toContain("Broken link")
      // The first crawl of a site has no earlier one.
      expect(await evaluate(main)).not.toContain("Compare")
      await press(browser, element("summary", "Broken link"))
      await press(browser, element("summary", "Prompt for a coding agent"))
      await until(`${element("textarea")}?.value.includes("${url.host}")`)
      expect(await evaluate(`${element("button", "Copy prompt")} !== undefined`)).toBe(true)
      await press(browser, element("button", "Recheck pages"))
      await until(`${main}.includes("Fixed: 0 of 1 affected page")`)

      for (const one of looks) {
        await look(browser, one)
        expect([one, await violations(browser)]).toEqual([one, []])
        expect(await evaluate(measured)).toMatchObject({ dark: one.scheme === "dark", fits: true })
      }
      await goTo(browser, "#/sites")
      expect(await evaluate(main)).toContain("1 of 1 site needs attention")
      expect(complaints).toEqual([])
      expect([...new Set(requested.filter((to) => /^http/.test(to)).map((to) => new URL(to).origin))]).toEqual([base])
    })
  })

  it("returns to the sign-in page when a key is rejected, and from there to the same screen", function* () {
    const { base } = yield* Server.TestServer
    const { account, key } = yield* Server.customer()
    const other = yield* Server.keyWith(account, ["*"])
    const { id } = yield* Server.projectOf(account)
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await visit(browser, base)
      await enter(browser, key)
      await evaluate(`fetch("/api/v1/key", { headers: { authorization: "Bearer ${key}" }, method: "DELETE" })`)
      await evaluate(`location.hash = "#/sites/${id}"`)
      await until(`${main}.includes("Sign in again") && location.hash === "#/sites/${id}"`)
      expect(await evaluate("JSON.stringify(sessionStorage)")).toBe("{}")
      await enter(browser, other)
      expect(await evaluate("document.querySelector('h1').textContent")).toBe("example.com")
      await press(browser, element("button", "Sign out"))
      await until(`${main}.includes("is still valid")`)
      // A pasted key belongs to a person and stays valid after signing out.
      const answer = `fetch("/api/v1/key", { headers: { authorization: "Bearer ${other}" } }).then(({ status }) => status)`
      expect(await evaluate(answer)).toBe(200)
      expect(await evaluate("JSON.stringify(sessionStorage)")).toBe("{}")
    })
  })

  it("removes the code of a link from its URL, and says when the link has expired", function* () {
    const { base } = yield* Server.TestServer
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await visit(browser, base, "#login=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
      await until(`${main}.includes("This sign-in link has expired")`)
      expect(await evaluate("location.href")).toBe(`${base}/console#/sites`)
      expect(await evaluate("JSON.stringify(sessionStorage)")).toBe("{}")
    })
  })

  it("leads from old URLs to the screens of their sites", function* () {
    const { base } = yield* Server.TestServer
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const { body } = yield* Server.send("POST", `/api/v1/projects/${id}/site-health/runs`, { body: {}, key })
    const run: string = body.data.id
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      const leads = async (from: string, to: string) => {
        await evaluate(`location.hash = ${JSON.stringify(from)}`)
        await until(`location.hash === ${JSON.stringify(to)} && ${settled}`)
      }
      await visit(browser, base)
      await enter(browser, key)
      await leads(`#/runs/${run}`, `#/sites/${id}/health/${run}`)
      await leads(`#/runs/${run}/compare`, `#/sites/${id}/health/${run}/compare`)
      await leads("#/rankings", `#/sites/${id}/search`)
      await leads(`#/rankings/${id}?kind=decay`, `#/sites/${id}/search?kind=decay`)
      await leads("#/audits", `#/sites/${id}/audits`)
      await leads("#/experiments", `#/sites/${id}/experiments`)
      await evaluate(`location.hash = "#/sites/00000000-0000-4000-8000-000000000000/health"`)
      await until(`document.querySelector("h1").textContent === "Site not found" && ${settled}`)
    })
  })

  it("leads an account with two sites from old URLs to the site that was open last, or to the list", function* () {
    const { base } = yield* Server.TestServer
    const { account, key } = yield* Server.customer()
    yield* Server.projectOf(account, "https://one.example")
    const { id } = yield* Server.projectOf(account, "https://two.example")
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await visit(browser, base)
      await enter(browser, key)
      await evaluate(`location.hash = "#/audits"`)
      await until(`location.hash === "#/sites" && ${settled}`)
      await goTo(browser, `#/sites/${id}`)
      await until(has("two.example"))
      await evaluate(`location.hash = "#/audits"`)
      await until(`location.hash === "#/sites/${id}/audits" && ${settled}`)
    })
  })

  it("switches to the same screen of another site, which a field finds", function* () {
    const { base } = yield* Server.TestServer
    const { account, key } = yield* Server.customer()
    const { id: from } = yield* Server.projectOf(account, "https://one.example")
    const { id: to } = yield* Server.projectOf(account, "https://two.example")
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { evaluate, type, until } = browser
      await visit(browser, base)
      await enter(browser, key)
      await goTo(browser, `#/sites/${from}/search`)
      await press(browser, element("header button", "one.example"))
      await until(`${field("Find a site")} !== undefined`)
      await evaluate(`${field("Find a site")}.focus()`)
      await type("two")
      await until(`${element(".menu a", "one.example")} === undefined`)
      await press(browser, element(".menu a", "two.example"))
      await until(`location.hash === "#/sites/${to}/search" && ${settled}`)
      expect(await evaluate("document.querySelector('.menu')")).toBeNull()
    })
  })

  it("names the missing scope of a key, with the code and the request id", function* () {
    const { base } = yield* Server.TestServer
    const { account } = yield* Server.customer()
    const reader = yield* Server.keyWith(account, ["projects:read"])
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await visit(browser, base)
      await enter(browser, reader)
      await until("document.querySelector('[role=alert]') !== null")
      expect(await evaluate(main)).toMatch(/Permission denied.*site-health:read.*insufficient_scope · request req_/)
    })
  })

  it("counts down until it retries by itself", function* () {
    const { base } = yield* Server.TestServer
    const { account, key } = yield* Server.customer()
    yield* Server.projectOf(account)
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { answer, evaluate, until } = browser
      await answer("/projects?", refusal(429, "rate_limit_exceeded", { "retry-after": "2" }))
      await visit(browser, base)
      await enter(browser, key)
      await until(`/Retrying in \\d+ second/.test(${main})`)
      expect(await evaluate(main)).toContain("rate_limit_exceeded · request req_0")
      await answer("/projects?", null)
      await until(`${main}.includes("example.com")`)
      expect(await evaluate("document.querySelector('[role=alert]')")).toBeNull()
    })
  })
})
