import { describe, expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { chromium, tab } from "../../browser.ts"
import { customerOf, html } from "../../features/sitehealth/crawled.ts"
import { suite } from "../../harness.ts"
import * as Server from "../../server.ts"
import {
  element,
  enter,
  field,
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
  visit
} from "./shown.ts"

const nav = '<a href="/">home</a> <a href="/a">a</a> <a href="/old">old</a>'

/** A site with a redirect, a page without a title, markup as a title, and a broken link that a later crawl misses. */
const changing = Effect.acquireRelease(
  Effect.sync(() => {
    const pages: Record<string, string> = {
      "/": html("Start", `${nav} <a href="/gone">gone</a>`),
      "/a": html("&lt;b&gt;A&lt;/b&gt;", nav)
    }
    const server = Bun.serve({
      fetch: ({ url }) => {
        const { pathname } = new URL(url)
        if (pathname === "/old") return Response.redirect("/a", 301)
        if (pathname === "/robots.txt") return new Response("User-agent: GPTBot\nDisallow: /\n")
        const page = pages[pathname]
        return page === undefined
          ? new Response("", { status: 404 })
          : new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } })
      },
      hostname: "127.0.0.1",
      port: 0
    })
    return { pages, server, url: server.url.href }
  }),
  ({ server }) => Effect.promise(() => server.stop(true))
)

describe.skipIf(chromium === null)("a site in the console", () => {
  const it = suite(Server.layer, { timeout: 240_000 })

  it("has a health screen with the top fixes of the latest crawl and its parts as links, and every part fits and is accessible", function* () {
    const { base } = yield* Server.TestServer
    const { pages, url } = yield* changing
    const { key, project, run } = yield* customerOf(url)
    yield* run()
    pages["/"] = html("Start", nav)
    const { id } = yield* run()
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await visit(browser, base)
      await enter(browser, key)
      await goTo(browser, `#/sites/${project.id}/health`)
      await until(`${has("Top fixes")} && ${has("Score by crawl")} && ${settled}`)
      expect(await evaluate(main)).toContain("vs. previous crawl")
      const parts = [
        ["", "Link to a redirect"],
        ["pages", "<b>A</b>"],
        ["links", "0 broken URLs"],
        ["access", "Disallow: /"],
        ["compare", "1 fixed"]
      ] as const
      for (const [view, text] of parts) {
        await goTo(browser, `#/sites/${project.id}/health/${id}${view === "" ? "" : `?view=${view}`}`)
        await until(`${has(text)} && ${settled}`)
        for (const one of looks) {
          await look(browser, one)
          expect([view, one.width, await violations(browser)]).toEqual([view, one.width, []])
          expect(await evaluate(measured)).toMatchObject({ fits: true })
        }
      }
    })
  })

  it("has a mark at the score of a crawl that its page limit ended: in the list of sites, on the overview and in the history", function* () {
    const { base } = yield* Server.TestServer
    const { url } = yield* changing
    const { key, project, run } = yield* customerOf(url)
    yield* run()
    yield* run({ max_pages: 1 })
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await visit(browser, base)
      await enter(browser, key)
      for (const screen of ["#/sites", `#/sites/${project.id}`, `#/sites/${project.id}/health`]) {
        await goTo(browser, screen)
        await until(`${has("partial crawl")} && ${settled}`)
        expect(String(await evaluate(main)).split("partial crawl")).toHaveLength(2)
      }
    })
  })

  it("has a live crawl that becomes its report", function* () {
    const { base } = yield* Server.TestServer
    const { url } = yield* changing
    const { key, project } = yield* customerOf(url)
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { until } = browser
      await visit(browser, base)
      await enter(browser, key)
      await goTo(browser, `#/sites/${project.id}/health`)
      await press(browser, element("button", "Crawl now"))
      await until(`/\\/health\\/./.test(location.hash) && ${has("Top fixes")} && ${has("Crawl complete.")}`)
    })
  })

  it("has issues that are filtered, pages that are sorted and filtered through the URL, broken links and redirects", function* () {
    const { base } = yield* Server.TestServer
    const { url } = yield* changing
    const { key, project, run } = yield* customerOf(url)
    const { id } = yield* run()
    const crawl = `#/sites/${project.id}/health/${id}`
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { evaluate, type, until } = browser
      const rows = "[...document.querySelectorAll('tbody th')].map((one) => one.textContent).join()"
      await visit(browser, base)
      await enter(browser, key)
      await goTo(browser, crawl)
      await until(`${element("summary", "Broken link")} !== undefined && ${settled}`)
      expect(await evaluate(main)).toContain("No points lost: “Broken link” already counts this cause.")
      await evaluate(`${field("Search issue or URL")}.focus()`)
      await type("broken l")
      await until(`${element("summary", "Page returns 4xx")} === undefined`)
      expect(
        await evaluate(`${element("summary", "Broken link")} !== undefined && location.hash.includes("q=broken")`)
      ).toBe(true)
      await goTo(browser, `${crawl}?view=pages`)
      await press(browser, element("button", "URL"))
      await until(`location.hash.includes("sort=url") && ${rows} === "/,/a,/gone,/old"`)
      await press(browser, element("button", "URL"))
      await until(`${rows} === "/old,/gone,/a,/"`)
      await goTo(browser, `${crawl}?view=pages&reason=http_4xx`)
      await until(`${rows} === "/gone"`)
      await goTo(browser, `${crawl}?view=links`)
      await until(`${rows}.startsWith("/gone") && ${has("1 broken URL")}`)
      await press(browser, element("button", "Redirects"))
      await until(`${rows} === "/old" && location.hash.includes("kind=redirects")`)
    })
  })

  it("has disabled controls where the key lacks a scope, and names the scope", function* () {
    const { base } = yield* Server.TestServer
    const { url } = yield* changing
    const { account, project, run } = yield* customerOf(url)
    const { id } = yield* run()
    const reading = yield* Server.keyWith(account, ["projects:read", "site-health:read"])
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      await visit(browser, base)
      await enter(browser, reading)
      await goTo(browser, `#/sites/${project.id}/health/${id}?rule=broken_link`)
      await until(`${element("button", "Recheck pages")}?.disabled === true`)
      expect(await evaluate(main)).toContain("Your key lacks the scope site-health:write")
    })
  })

  it("has an overview with a card for each subject, which says in one sentence what is missing, or names the missing scope", function* () {
    const { base } = yield* Server.TestServer
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const reading = yield* Server.keyWith(account, ["projects:read", "site-health:read"])
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      const titles = "[...document.querySelectorAll('.card h2')].map((one) => one.textContent).join()"
      const links = "document.querySelectorAll('.card p a').length"
      await visit(browser, base)
      await enter(browser, key)
      await goTo(browser, `#/sites/${id}`)
      await until(`${titles}.startsWith("Health") && ${settled}`)
      expect(await evaluate(titles)).toBe(
        "Health,Search,Web vitals,Experiments,Backlinks,AI visibility,Schedule,What changed"
      )
      await until(`${links} === 8`)
      expect(await violations(browser)).toEqual([])
      await press(browser, element("button", "Sign out"))
      await enter(browser, reading)
      await goTo(browser, `#/sites/${id}`)
      await until(`${has("A crawl gives a score")} && ${has("interventions:read")}`)
      expect(await evaluate(titles)).toContain("Health,Search")
    })
  })

  it("has a running crawl with its progress on the overview and in health, and later its failure with a button that crawls again", function* () {
    const { base } = yield* Server.TestServer
    const sql = yield* SqlClient.SqlClient
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const [run] = yield* sql<{ id: string }>`
      INSERT INTO site_health_runs (account_id, project_id, url, max_pages, check_dead_links, render, status, phase, started_at, counters, lease, leased_until)
      VALUES (${account}, ${id}, 'https://tea.example/', 50, true, 'never', 'running', 'crawling', now(),
        '{"pages_discovered":30,"pages_failed":2,"pages_fetched":11}', gen_random_uuid(), now() + interval '1 hour') RETURNING id`
    const browser = yield* tab(chromium ?? "")
    const { evaluate, until } = browser
    yield* Effect.promise(async () => {
      await look(browser, { scheme: "light", width: 1280 })
      await visit(browser, base)
      await enter(browser, key)
      for (const part of ["", "/health"]) {
        await goTo(browser, `#/sites/${id}${part}`)
        await until(`${has("11 of up to 50 pages crawled")} && ${settled}`)
        const text = await evaluate(main)
        expect(text).toContain("Crawling now")
        expect(text).not.toContain("Crawl now")
        expect(text).not.toContain("Start a crawl")
        expect(await violations(browser)).toEqual([])
      }
    })
    yield* sql`
      UPDATE site_health_runs SET status = 'failed', phase = 'finished', finished_at = now(), lease = NULL, leased_until = NULL,
        error = '{"code":"crawl_failed","message":"It was still crawling pages."}' WHERE id = ${run?.id ?? ""}`
    yield* Effect.promise(async () => {
      // The screen follows the crawl by itself.
      await until(`${has("Crawl failed")} && ${has("It was still crawling pages.")}`)
      await goTo(browser, `#/sites/${id}`)
      await until(`${element(".edge.bad", "It was still crawling pages.")} !== undefined && ${settled}`)
      await goTo(browser, "#/sites")
      await until(`${element("td", "failed, ")} !== undefined && ${element(".tag", "crawl failed")} !== undefined`)
      expect(await evaluate(has("It was still crawling pages."))).toBe(true)
      expect(
        await evaluate(
          "(({ clientWidth, scrollWidth }) => scrollWidth <= clientWidth)(document.querySelector('.wide'))"
        )
      ).toBe(true)
      expect(await evaluate(`${element("header button", "Choose a site")} !== undefined`)).toBe(true)
      await goTo(browser, `#/sites/${id}/health/${run?.id}`)
      await until(
        `${has("11 of up to 50 pages crawled · 30 discovered · 2 unreachable · 17 still to crawl")} && ${settled}`
      )
      expect(await evaluate(main)).toContain("Never")
      for (const one of looks) {
        await look(browser, one)
        expect([one.width, await violations(browser)]).toEqual([one.width, []])
        expect(await evaluate(measured)).toMatchObject({ fits: true })
      }
      await press(browser, element("button", "Crawl again"))
      await until(
        `/\\/health\\/./.test(location.hash) && !location.hash.endsWith(${JSON.stringify(run?.id)}) && ${settled}`
      )
    })
    const { body } = yield* Server.send("GET", `/api/v1/projects/${id}/site-health/runs?limit=1`, { key })
    expect(body.data[0].request.render).toBe("never")
  })

  it("keeps the rendering that was chosen last for a site while the console is open", function* () {
    const { base } = yield* Server.TestServer
    const { account, key } = yield* Server.customer()
    const { id } = yield* Server.projectOf(account)
    const browser = yield* tab(chromium ?? "")
    yield* Effect.promise(async () => {
      const { evaluate, until } = browser
      const opened = async () => {
        await until(`${element("summary", "Crawl options")} !== undefined && ${settled}`)
        await evaluate(`${element("summary", "Crawl options")}.click()`)
        await until(`${field("Render JavaScript")} !== undefined`)
      }
      await visit(browser, base)
      await enter(browser, key)
      await look(browser, { scheme: "dark", width: 390 })
      await goTo(browser, `#/sites/${id}`)
      await opened()
      expect(await evaluate(measured)).toMatchObject({ fits: true })
      await pick(browser, "Render JavaScript", "always")
      await goTo(browser, `#/sites/${id}/health`)
      await opened()
      expect(await evaluate(`${field("Render JavaScript")}.value`)).toBe("always")
    })
  })
})
