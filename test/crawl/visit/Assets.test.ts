import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CookieJar from "../../../src/crawl/fetch/CookieJar.ts"
import * as Fetcher from "../../../src/crawl/fetch/Fetcher.ts"
import { type Asked, Refused, type Renderer, StoreFailed } from "../../../src/crawl/render/Rendering.ts"
import { make } from "../../../src/crawl/visit/Assets.ts"
import * as RobotsCache from "../../../src/crawl/visit/RobotsCache.ts"
import { scopeOf } from "../../../src/crawl/visit/Visitor.ts"
import type { OutboundRequest } from "../../../src/foundation/outbound/Outbound.ts"
import { it } from "../../harness.ts"
import { patientTiming } from "../site/Crawled.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"

const origin = "https://site.test"

type Store = (typeof Renderer.Service)["store"]

const noStore: Store = () => Effect.succeed(Option.none())

interface World {
  readonly reply: (path: string, request: OutboundRequest) => Reply
  readonly store?: Store
}

/** The assets of a crawl, with each request that left, in order. */
const world = ({ reply, store = noStore }: World) =>
  Effect.gen(function* () {
    const sent: Array<OutboundRequest> = []
    const outbound = memoryOutbound((url, request) => {
      if (url.pathname === "/robots.txt") return { body: "User-agent: *\nDisallow: /closed\n", headers: {} }
      sent.push(request)
      return reply(url.pathname, request)
    })
    const fetcher = yield* Effect.provide(
      Fetcher.make({
        deadlineAt: Number.MAX_SAFE_INTEGER,
        gap: 0,
        perHost: 6,
        site: { headers: { "X-Site": "mine" }, start: new URL(origin) },
        timing: patientTiming,
        userAgent: "Test/1.0"
      }),
      outbound
    )
    const robots = RobotsCache.make(fetcher, patientTiming, "Test")
    const assets = yield* make({ fetcher, robots, scope: scopeOf({}), store, timing: patientTiming })
    const paths = () => sent.map(({ method, url }) => (method === "GET" ? url.pathname : `${method} ${url.pathname}`))
    return { assets, paths, sent }
  })

const asking = (path: string, own: Partial<Asked> = {}): Asked => ({
  headers: {},
  kind: "Script",
  method: "GET",
  url: new URL(path, origin),
  ...own
})

const text = (body: string | Uint8Array, status = 200): Reply => ({ body, headers: {}, status })

describe("the assets of a crawl", () => {
  it("are requested once for all pages, and a failure twice", function* () {
    const { assets, paths } = yield* world({ reply: (path) => text("x", path === "/gone.js" ? 404 : 200) })
    for (const _ of [1, 2]) {
      const page = assets.of(CookieJar.empty)
      yield* page.fetch(asking("/app.js"))
      yield* page.fetch(asking("/app.js#part"))
      yield* page.fetch(asking("/gone.js"))
      expect(yield* page.failed).toEqual([{ url: `${origin}/gone.js`, why: "404" }])
    }
    expect(paths()).toEqual(["/app.js", "/gone.js", "/gone.js"])
    expect(yield* assets.requests).toBe(3)
  })

  it("carry the fields of the page, which neither the site's own nor the crawler's name gives way to", function* () {
    const { assets, sent } = yield* world({ reply: () => text("x") })
    const { fetch } = assets.of(CookieJar.empty)
    const headers = { accept: "application/json", authorization: "Bearer a", origin, "x-site": "theirs" }
    yield* fetch(asking("/data", { headers, kind: "Fetch" }))
    yield* fetch(asking("https://api.test/data", { headers, kind: "Fetch", method: "OPTIONS" }))
    expect(sent.map(({ authorization, headers, method }) => ({ authorization, headers, method }))).toEqual([
      {
        authorization: "Bearer a",
        headers: { accept: "application/json", origin, "user-agent": "Test/1.0", "X-Site": "mine" },
        method: "GET"
      },
      {
        authorization: "Bearer a",
        headers: { accept: "application/json", origin, "user-agent": "Test/1.0", "x-site": "theirs" },
        method: "OPTIONS"
      }
    ])
  })

  it("with other fields are other requests", function* () {
    const { assets, paths } = yield* world({ reply: () => text("x") })
    const { fetch } = assets.of(CookieJar.empty)
    for (const headers of [{}, { origin }, { origin }, {}]) yield* fetch(asking("/app.js", { headers }))
    expect(paths()).toEqual(["/app.js", "/app.js"])
  })

  it("are not requested where robots.txt, an action or the limit of the crawl forbids it", function* () {
    const { assets, paths } = yield* world({ reply: () => text("x") })
    const { blocked, fetch } = assets.of(CookieJar.empty)
    expect(yield* Effect.flip(fetch(asking("/closed.js")))).toEqual(new Refused({ why: "blocked_by_robots" }))
    expect(yield* Effect.flip(fetch(asking("/cart?add-to-cart=1")))).toEqual(new Refused({ why: "action" }))
    expect(yield* blocked).toEqual([`${origin}/closed.js`])
    expect(paths()).toEqual([])
    yield* Effect.forEach(
      Array.from({ length: 3000 }, (_, at) => asking(`/${at}.js`)),
      fetch,
      { discard: true }
    )
    expect(yield* Effect.flip(fetch(asking("/further.js")))).toEqual(new Refused({ why: "requests" }))
    expect(yield* assets.requests).toBe(3000)
  })

  it("know the length of a file that was loaded, and not of a preflight or a failure", function* () {
    const { assets } = yield* world({
      reply: (path) => ({ headers: { "content-length": "1" }, body: "x", status: path === "/gone.js" ? 404 : 200 })
    })
    const { fetch } = assets.of(CookieJar.empty)
    yield* fetch(asking("/app.js"))
    yield* fetch(asking("/gone.js"))
    yield* fetch(asking("/api", { method: "OPTIONS" }))
    expect(["/app.js", "/gone.js", "/api"].map((path) => assets.loaded(`${origin}${path}`))).toEqual([
      1,
      undefined,
      undefined
    ])
  })
})

describe("beyond the room in memory", () => {
  const large = new Uint8Array(9_000_000)
  const reply = (path: string): Reply => (path === "/gone.js" ? text(large, 404) : text(large))
  const files = ["/1.js", "/2.js", "/3.js", "/gone.js"]
  const twice = (fetch: (asked: Asked) => Effect.Effect<unknown, Refused>) =>
    Effect.forEach([...files, ...files], (path) => fetch(asking(path)), { discard: true })

  it("a file is stored, and a failure loses its body: neither is requested again", function* () {
    const stored: Array<number> = []
    const store: Store = (body) => {
      stored.push(body.length)
      return Effect.succeed(Option.some(Effect.succeed(body)))
    }
    const { assets, paths } = yield* world({ reply, store })
    const { fetch } = assets.of(CookieJar.empty)
    yield* twice(fetch)
    expect(paths()).toEqual([...files, "/gone.js"])
    expect(stored).toEqual([9_000_000])
    expect((yield* fetch(asking("/3.js"))).body).toHaveLength(9_000_000)
    expect(yield* fetch(asking("/gone.js"))).toMatchObject({ body: new Uint8Array(), status: 404 })
  })

  it("a file that cannot be stored is requested again, and one that cannot be read is refused", function* () {
    const full = yield* world({ reply })
    yield* twice(full.assets.of(CookieJar.empty).fetch)
    expect(full.paths().filter((path) => path === "/3.js")).toHaveLength(2)
    const broken = yield* world({ reply, store: () => Effect.succeed(Option.some(Effect.fail(new StoreFailed()))) })
    const { fetch } = broken.assets.of(CookieJar.empty)
    yield* Effect.ignore(twice(fetch))
    expect(yield* Effect.flip(fetch(asking("/3.js")))).toEqual(new Refused({ why: "time" }))
  })
})
