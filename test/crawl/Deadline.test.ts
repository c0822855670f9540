import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../harness.ts"
import { virtualClock } from "./generator/VirtualClock.ts"
import { events, report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound } from "./site/MemoryOutbound.ts"

const timing = { pageDeadline: 30_000, idleTimeout: 30_000, robotsDeadline: 30_000, confirmAfter: 1000, backoff: 1000 }

it("at the deadline what was measured is reported", function* () {
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

it("a start page that never answers ends the run at the deadline with no data", function* () {
  const silent = memoryOutbound(() => ({ delay: 60_000 }))
  const result = yield* Effect.provide(report("http://site.test/", { deadline: "200 millis", timing }), silent)
  expect(result.summary.termination).toBe("max-duration")
  expect(result.score).toMatchObject({ has_data: false, aggregate_score: null, status: null })
  expect(result.summary.dead_links.state).toBe("unavailable")
})

it("a run that ends by its page limit leaves the rest as limit_reached", function* () {
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

it("pages are told while the crawl runs, then the report comes last", function* () {
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
