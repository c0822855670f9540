import { describe, expect, spyOn, test } from "bun:test"
import * as Effect from "effect/Effect"
import { calendarOf, steady } from "../../src/crawl/frontier/Traps.ts"
import { it } from "../harness.ts"
import { virtualClock } from "./generator/VirtualClock.ts"
import { events, report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound } from "./site/MemoryOutbound.ts"

const real = Array.from({ length: 24 }, (_, index) => `/page-${index}`)

/** Twenty-five real pages in a chain of lists, each of which also links to endless URLs. */
const site = (more: (url: URL) => ReadonlyArray<string>, isPart: (url: URL) => boolean) =>
  memoryOutbound((url) => {
    if (url.pathname === "/robots.txt" || url.pathname === "/sitemap.xml") return { status: 404, headers: {} }
    const index = real.indexOf(url.pathname)
    const links = url.pathname === "/" ? real.slice(0, 2) : real.slice(2 * index + 2, 2 * index + 4)
    if (isPart(url)) return { body: html({ title: `List ${url.search || url.pathname}`, links: ["/", ...more(url)] }) }
    if (url.pathname !== "/" && index === -1) return { status: 404, headers: {} }
    return { body: html({ title: url.pathname, links: [...more(url), ...links] }) }
  })

const found = (outbound: ReturnType<typeof site>) =>
  Effect.map(Effect.provide(report("http://site.test/"), outbound), (result) => ({
    result,
    reached: result.pages.filter(
      ({ fetch_state, url }) => fetch_state === "fetched" && ["/", ...real].includes(new URL(url).pathname)
    ).length,
    endless: result.findings.find(({ rule }) => rule === "endless_addresses"),
    traps: result.summary.limits.traps.map(({ reason }) => reason)
  }))

it("filters of a list do not crowd out pages, and are reported", function* () {
  const colors = ["red", "green", "blue", "black"]
  const filters = colors.flatMap((color) =>
    [1, 2, 3].flatMap((size) => [`/shop?color=${color}&size=${size}`, `/shop?size=${size}&sort=up&color=${color}`])
  )
  const { endless, reached, traps } = yield* found(
    site(
      () => filters,
      (url) => url.pathname === "/shop"
    )
  )
  expect(reached).toBe(25)
  expect(traps).toContain("facets")
  expect(endless?.evidence.items[0]?.detail).toMatch(/more combinations of (?:color, size|size, color)/)
})

const combinations = ["red", "green", "blue", "black"].flatMap((color) =>
  [1, 2, 3, 4].map((size) => `/shop?color=${color}&size=${size}`)
)

/** Combined filters on the start page, the list itself, and the response to each combination. */
const shop = (head: string, robots = "") =>
  memoryOutbound(({ pathname }) => {
    if (pathname === "/robots.txt") return { headers: {}, body: `User-agent: *\n${robots}` }
    if (pathname === "/") return { body: html({ title: "Home", links: ["/shop", ...combinations] }) }
    return pathname === "/shop" ? { body: html({ title: "Shop", head }) } : { status: 404, headers: {} }
  })

it("filters that the site itself keeps out of search engines are not reported as endless", function* () {
  const kept = [
    shop('<link rel="canonical" href="http://site.test/shop">'),
    shop('<meta name="robots" content="noindex">'),
    shop("", "Disallow: /*?"),
    shop("", "Disallow:\nUser-agent: Googlebot\nDisallow: /*?")
  ]
  for (const outbound of kept) expect((yield* found(outbound)).endless?.status).toBe("pass")
  expect((yield* found(shop(""))).endless?.status).toBe("fail")
  const closed = shop("", "Disallow:\nUser-agent: FindableBot\nDisallow: /*?")
  expect((yield* found(closed)).endless?.status).toBe("not_assessed")
})

it("the check for endless URLs is not assessed when no filter was crawled", function* () {
  const { endless, summary } = yield* Effect.map(
    Effect.provide(report("http://site.test/", { maxPages: 2 }), shop("")),
    ({ findings, summary }) => ({ summary, endless: findings.find(({ rule }) => rule === "endless_addresses") })
  )
  expect(summary.pages.fetched).toBe(2)
  expect(endless).toMatchObject({
    status: "not_assessed",
    evidence: { reason: expect.stringContaining("combinations of") }
  })
})

it("a calendar does not crowd out pages, is reported, and leaves checks of the whole site assessable", function* () {
  const month = (url: URL) =>
    Number(/^\/events\/(\d+)/.exec(url.pathname)?.[1] ?? 2026) * 12 +
    Number(/\/(\d+)\/$/.exec(url.pathname)?.[1] ?? 1) -
    1
  const at = (count: number) => `/events/${Math.floor(count / 12)}/${String((count % 12) + 1).padStart(2, "0")}/`
  const { endless, reached, result, traps } = yield* found(
    site(
      (url) => (url.pathname.startsWith("/events") ? [at(month(url) - 1), at(month(url) + 1)] : ["/events/2026/01/"]),
      (url) => url.pathname.startsWith("/events")
    )
  )
  expect(reached).toBe(25)
  expect(traps).toContain("calendar")
  expect(endless?.evidence.items[0]?.detail).toContain("more dates that link to each other")
  expect(result.summary.termination).toBe("complete")
})

it("session ids do not crowd out pages, and URLs that differ only in them are reported once", function* () {
  let visits = 0
  const outbound = memoryOutbound((url) => {
    if (url.pathname === "/robots.txt" || url.pathname === "/sitemap.xml") return { status: 404, headers: {} }
    const index = real.indexOf(url.pathname)
    if (url.pathname !== "/" && index === -1) return { status: 404, headers: {} }
    visits += 1
    const links = url.pathname === "/" ? real.slice(0, 2) : real.slice(2 * index + 2, 2 * index + 4)
    const all = ["/", "/page-0", "/page-1", ...links].map((path) => `${path}?PHPSESSID=${visits}abc`)
    const nav = `<nav>${all.map((href) => `<a href="${href}">more</a>`).join("")}</nav>`
    return { body: html({ title: url.pathname, body: nav }) }
  })
  const { endless, result, traps } = yield* found(outbound)
  const fetched = result.pages.filter(({ fetch_state }) => fetch_state === "fetched")
  expect(new Set(fetched.map(({ url }) => new URL(url).pathname)).size).toBe(25)
  expect(traps).toContain("session_id")
  expect(endless?.evidence.items[0]?.detail).toContain('session id "PHPSESSID"')
  for (const rule of ["content_duplicate", "title_duplicate", "address_twins"])
    expect(result.findings.find((each) => each.rule === rule)?.status).not.toBe("fail")
})

it("pages selected by a parameter, an archive and a finite list are not endless", function* () {
  const items = Array.from({ length: 18 }, (_, index) => `/item?cat=${index % 3}&id=${index}`)
  const months = Array.from({ length: 12 }, (_, index) => `/2025/${String(index + 1).padStart(2, "0")}/`)
  const outbound = memoryOutbound((url) => {
    const path = url.pathname + url.search
    if (path === "/") return { body: html({ title: "Home", links: [...items, ...months] }) }
    return [...items, ...months].includes(path) ? { body: html({ title: path }) } : { status: 404, headers: {} }
  })
  const { endless, result } = yield* found(outbound)
  expect(endless?.status).toBe("pass")
  expect(result.summary).toMatchObject({ termination: "complete", pages: { fetched: 31 } })
})

it("a URL with repeated segments has the reason why it was not crawled, and leaves checks of the whole site assessable", function* () {
  const outbound = memoryOutbound((url) =>
    url.pathname === "/"
      ? { body: html({ title: "Home", links: ["/a", "/x/x/x/"] }) }
      : url.pathname === "/a"
        ? { body: html({ title: "A" }) }
        : { status: 404, headers: {} }
  )
  const { endless, result } = yield* found(outbound)
  expect(result.pages.find(({ url }) => url.endsWith("/x/x/x/"))?.evidence?.note).toContain("repeats three times")
  expect(result.summary).toMatchObject({ complete: true, dead_links: { state: "complete" } })
  expect(endless?.status).toBe("fail")
  for (const rule of ["broken_link", "title_duplicate", "page_client_error"])
    expect([rule, result.findings.find((each) => each.rule === rule)?.status]).toEqual([rule, "pass"])
})

test("session ids and tracking parameters are distinguished from parameters that select a page", () => {
  const varies = (path: string) => steady(new URL(path, "http://s.test")).varies?.name ?? null
  expect(
    ["/a?PHPSESSID=1", "/a;jsessionid=1", "/a?sid=1", "/a?session_id=1", "/a?utm_source=x", "/(S(abc))/a"].map(varies)
  ).toEqual(["PHPSESSID", "jsessionid", "sid", "session_id", "utm_source", "S"])
  expect(["/a?id=1", "/a?s=word", "/a?side=left", "/a?session=", "/a?p=1&season=2"].map(varies)).toEqual([
    null,
    null,
    null,
    "session",
    null
  ])
})

test("calendar URLs are distinguished from posts with a date in their path", () => {
  const calendar = (path: string) => calendarOf(new URL(path, "http://s.test"))
  expect(
    ["/cal/2024/05", "/cal/2024/05/31/", "/cal/2024-05", "/cal?month=2024-05", "/cal?year=2024&month=5"].map(calendar)
  ).toEqual(["/cal/{date}", "/cal/{date}", "/cal/{date}", "/cal?{date}", "/cal?{date}"])
  expect(["/2024/05/12/a-post", "/2024/", "/item/2024/99", "/a?id=20245", "/a?year=2024"].map(calendar)).toEqual([
    null,
    null,
    null,
    null,
    null
  ])
})

const timing = { pageDeadline: 30_000, idleTimeout: 30_000, robotsDeadline: 30_000, confirmAfter: 1000, backoff: 1000 }

it("a crawl that reaches its deadline reports the pages crawled so far", function* () {
  const clock = virtualClock()
  const site = memoryOutbound(({ pathname }) => {
    if (pathname === "/robots.txt") return { status: 404 }
    return pathname === "/" ? { body: html({ title: "Home", links: ["/a", "/b", "/c"] }) } : { delay: 60_000 }
  })
  const result = yield* report("https://site.test/", { deadline: "700 millis", timing }).pipe(
    Effect.provide(site),
    Effect.withClock(clock)
  )
  expect(clock.unsafeCurrentTimeMillis()).toBe(700)
  expect(result.summary).toMatchObject({
    complete: false,
    termination: "max-duration",
    pages: { discovered: 4, fetched: 1, failed: 0, skipped: 3 },
    dead_links: { state: "partial", checked: 1, found: 0 }
  })
  expect(result.pages.slice(1).map(({ fetch_state, health_reason }) => [fetch_state, health_reason])).toEqual(
    Array.from({ length: 3 }, () => ["not_fetched", "limit_reached"])
  )
  expect(result.score.has_data).toBe(true)
})

it("a start page that never responds ends the crawl at the deadline with no data", function* () {
  const silent = memoryOutbound(() => ({ delay: 60_000 }))
  const result = yield* Effect.provide(report("http://site.test/", { deadline: "200 millis", timing }), silent)
  expect(result.summary.termination).toBe("max-duration")
  expect(result.score).toMatchObject({ has_data: false, aggregate_score: null, status: null })
  expect(result.summary.dead_links.state).toBe("unavailable")
})

it("a crawl that ends at its page limit marks the remaining URLs as limit_reached", function* () {
  const site = memoryOutbound((url) =>
    url.pathname === "/robots.txt" || url.pathname === "/sitemap.xml"
      ? { status: 404 }
      : {
          body: html({
            title: url.pathname,
            links: Array.from({ length: 9 }, (_, index) => `${url.pathname}${index}/`)
          })
        }
  )
  const result = yield* Effect.provide(report("http://site.test/", { maxPages: 5 }), site)
  expect(result.summary).toMatchObject({ termination: "max-pages", complete: false })
  expect(result.summary.pages.fetched).toBe(5)
  expect(result.pages.filter(({ health_reason }) => health_reason === "limit_reached").length).toBe(
    result.summary.pages.skipped
  )
})

it("a crawl emits its pages while it runs, then its report", function* () {
  const site = memoryOutbound((url) =>
    url.pathname === "/" ? { body: html({ title: "Home", links: ["/a"] }) } : { status: 404 }
  )
  const told = yield* Effect.provide(events("http://site.test/"), site)
  expect(told.map((event) => (event._tag === "Phase" ? event.phase : event._tag))).toEqual([
    "preparing",
    "Page",
    "crawling",
    "Page",
    "analysing",
    "Finished"
  ])
})

/** Wildcard rules that match only at their last letter, 480 KiB of them. */
const rules = `User-agent: *\n${Array.from({ length: 24_000 }, (_, at) => `Disallow: /*a*${at.toString(36)}z`).join("\n")}`

const long = (at: number) => `https://hostile.example/${"a".repeat(1_900)}${at}`

const sitemap = `<urlset>${Array.from({ length: 5_000 }, (_, at) => `<url><loc>${long(at)}</loc></url>`).join("")}</urlset>`

const hostile = memoryOutbound((url) => {
  if (url.pathname === "/robots.txt") return { body: rules, headers: { "content-type": "text/plain" } }
  if (url.pathname === "/sitemap.xml") return { body: sitemap, headers: { "content-type": "application/xml" } }
  return { body: "<title>t</title><h1>h</h1><p>words</p>" }
})

describe("a site with 24,000 wildcard rules in robots.txt and a sitemap of long URLs", () => {
  it("is crawled with few comparisons of URLs and rules", function* () {
    const searches = spyOn(String.prototype, "indexOf")
    const { pages, summary } = yield* Effect.provide(report("https://hostile.example/", { maxPages: 5 }), hostile)
    const compared = searches.mock.calls.filter(([literal]) => literal === "a").length
    searches.mockRestore()
    expect(pages.filter(({ fetch_state }) => fetch_state === "fetched")).toHaveLength(5)
    expect(summary.termination).toBe("max-pages")
    // A comparison of each of the 2,000 known URLs with each rule would take 48 million searches, and more than half a minute.
    expect(compared).toBeGreaterThan(24_000)
    expect(compared).toBeLessThan(500_000)
  })
})
