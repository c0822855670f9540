import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { effect } from "../harness.ts"
import { report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { loopback } from "./site/Loopback.ts"
import { type Handler, serve } from "./site/Server.ts"

const links = (count: number) => Array.from({ length: count }, (_, index) => `/p${index}`)

const send = (
  response: Parameters<Handler>[1],
  body: string,
  headers: Record<string, string> = { "content-type": "text/html" }
) => {
  response.writeHead(200, headers)
  response.end(body)
}

const home =
  (count: number, robots: string, page: Handler): Handler =>
  (request, response, asked) => {
    if (request.url === "/robots.txt") return send(response, robots, {})
    if (request.url === "/") return send(response, html({ title: "Home", links: links(count) }))
    return page(request, response, asked)
  }

const slow: Handler = (request, response) =>
  void setTimeout(() => send(response, html({ title: request.url ?? "" })), 15)

effect("never more requests are in flight to a host than the run allows", () =>
  Effect.gen(function* () {
    const server = yield* serve(() => home(30, "", slow))
    yield* report(`${server.origin}/`, { perHost: 4 })
    expect(Math.max(...server.seen.map(({ inFlight }) => inFlight))).toBe(4)
  }).pipe(Effect.provide(loopback))
)

effect("after a 429 with Retry-After no request arrives before its end, and then one at a time", () =>
  Effect.gen(function* () {
    let refusedAt = 0
    const server = yield* serve(() =>
      home(20, "", (request, response, asked) => {
        if (request.url !== "/p3" || asked > 0) return slow(request, response, asked)
        refusedAt = performance.now()
        response.writeHead(429, { "retry-after": "1" })
        response.end()
      })
    )
    const result = yield* report(`${server.origin}/`)
    // What was under way when the refusal was sent is let through: the crawler cannot have known.
    const after = server.seen.filter(({ arrived }) => arrived > refusedAt + 200)
    expect(Math.min(...after.map(({ arrived }) => arrived)) - refusedAt).toBeGreaterThanOrEqual(990)
    expect(after[0]?.inFlight).toBe(1)
    expect(result.pages.find(({ url }) => url.endsWith("/p3"))?.health_reason).toBe("ok")
  }).pipe(Effect.provide(loopback))
)

effect("Retry-After as a date is kept to as well", () =>
  Effect.gen(function* () {
    let refusedAt = 0
    const server = yield* serve(() =>
      home(3, "", (request, response, asked) => {
        if (request.url !== "/p1" || asked > 0) return slow(request, response, asked)
        refusedAt = performance.now()
        // Dates have whole seconds, so two seconds may be little more than one.
        response.writeHead(503, { "retry-after": new Date(Date.now() + 2000).toUTCString() })
        response.end()
      })
    )
    yield* report(`${server.origin}/`)
    const again = server.seen.filter(({ path }) => path === "/p1")[1]
    expect((again?.arrived ?? 0) - refusedAt).toBeGreaterThanOrEqual(990)
  }).pipe(Effect.provide(loopback))
)

effect("a pause longer than the run ends it at once, and the rest is rate limited, not broken", () =>
  Effect.gen(function* () {
    const server = yield* serve(() =>
      home(12, "", (_, response) => {
        response.writeHead(429, { "retry-after": "3600" })
        response.end()
      })
    )
    const started = performance.now()
    const result = yield* report(`${server.origin}/`)
    expect(performance.now() - started).toBeLessThan(2000)
    expect(result.summary.termination).toBe("max-duration")
    expect(new Set(result.pages.slice(1).map(({ health_reason }) => health_reason))).toEqual(new Set(["rate_limited"]))
    expect(result.summary.dead_links).toMatchObject({ state: "partial", found: 0 })
  }).pipe(Effect.provide(loopback))
)

effect("Crawl-delay spaces the starts of requests, one at a time, and the report says so", () =>
  Effect.gen(function* () {
    const server = yield* serve(() => home(4, "User-agent: *\nCrawl-delay: 0.2", slow))
    const result = yield* report(`${server.origin}/`)
    const arrivals = server.seen.map(({ arrived }) => arrived)
    const gaps = arrivals.slice(1).map((arrived, index) => arrived - (arrivals[index] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(150)
    expect(Math.max(...server.seen.map(({ inFlight }) => inFlight))).toBe(1)
    expect(result.summary.robots).toMatchObject({ crawl_delay_seconds: 0.2, crawl_delay_allows: 100 })
  }).pipe(Effect.provide(loopback))
)

effect("a Crawl-delay beyond the budget means fewer pages, not faster ones", () =>
  Effect.gen(function* () {
    const server = yield* serve(() => home(4, "User-agent: *\nCrawl-delay: 1", slow))
    const result = yield* report(`${server.origin}/`, { deadline: "2500 millis" })
    expect(server.seen.length).toBeLessThanOrEqual(3)
    expect(result.summary.termination).toBe("max-duration")
    expect(result.pages.at(-1)?.health_reason).toBe("limit_reached")
  }).pipe(Effect.provide(loopback))
)
