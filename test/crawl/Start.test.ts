import { describe, expect } from "bun:test"
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CrawlOptions } from "../../src/crawl/Crawl.ts"
import { Outbound } from "../../src/foundation/outbound/Outbound.ts"
import { client, names } from "../foundation/outbound/client.ts"
import { serve } from "../foundation/outbound/server.ts"
import { it } from "../harness.ts"
import { report, shortTiming } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound, type Reply } from "./site/MemoryOutbound.ts"

type Answers = Readonly<Record<string, Reply>>

/** Responses by full URL; everything else is 404. */
const site = (answers: Answers) => memoryOutbound((url) => answers[url.href] ?? { status: 404, headers: {} })

const crawl = (url: string, answers: Answers) => Effect.provide(report(url), site(answers))

const home: Reply = { body: html({ title: "Home" }) }

const to = (location: string, more: Readonly<Record<string, string>> = {}): Reply => ({
  status: 301,
  headers: { location, ...more }
})

it("a start URL that redirects to https and www is followed, and the site is the redirect's target", function* () {
  const result = yield* crawl("http://site.test", {
    "http://site.test/": to("https://site.test/"),
    "https://site.test/": to("https://www.site.test/en"),
    "https://www.site.test/en": { body: html({ title: "Home", links: ["/a", "http://site.test/"] }) },
    "https://www.site.test/a": home
  })
  expect(result.pages.map(({ depth, health_reason, url }) => [url, health_reason, depth])).toEqual([
    ["http://site.test/", "redirect_permanent", 0],
    ["https://site.test/", "redirect_permanent", 0],
    ["https://www.site.test/en", "ok", 0],
    ["https://www.site.test/a", "ok", 1]
  ])
  expect(result.summary.robots.url).toBe("https://www.site.test/robots.txt")
  expect(result.pages[0]?.evidence?.redirect_chain).toEqual(["https://site.test/", "https://www.site.test/en"])
})

it("the start page is crawled even if its redirects use up the page limit", function* () {
  const answers = { "http://site.test/": to("/home"), "http://site.test/home": home }
  const result = yield* Effect.provide(report("http://site.test/", { maxPages: 1 }), site(answers))
  expect(result.pages.map(({ health_reason }) => health_reason)).toEqual(["redirect_permanent", "ok"])
  expect(result.summary.termination).toBe("complete")
})

it("a start URL that redirects to another site fails the crawl", function* () {
  const failed = yield* Effect.flip(crawl("http://site.test/", { "http://site.test/": to("https://other.test/") }))
  expect(failed).toMatchObject({ _tag: "CrawlFailed", code: "start_redirects_offsite" })
  expect(failed.message).toContain("https://other.test/")
})

for (const fault of ["dns", "connect", "tls", "blocked_address"] as const) {
  it(`a start URL whose origin is down by ${fault} is unreachable`, function* () {
    const failed = yield* Effect.flip(
      Effect.provide(
        report("http://site.test/"),
        memoryOutbound(() => ({ fault }))
      )
    )
    expect(failed).toMatchObject({ _tag: "CrawlFailed", code: "start_unreachable" })
  })
}

for (const fault of ["timeout", "reset"] as const) {
  it(`a start page that fails by ${fault} is unreachable although robots.txt responds`, function* () {
    const failed = yield* Effect.flip(crawl("http://site.test/", { "http://site.test/": { fault } }))
    expect(failed.code).toBe("start_unreachable")
  })
}

const refusals: ReadonlyArray<readonly [name: string, reply: Reply, named: string]> = [
  ["401", { status: 401, headers: { "www-authenticate": "Basic" } }, "401"],
  ["403", { status: 403 }, "403"],
  ["407", { status: 407 }, "407"],
  ["a challenge by header", { status: 403, headers: { "cf-mitigated": "challenge" } }, "challenge"],
  ["a challenge page with success", { status: 200, body: "<script>window._cf_chl_opt={}</script>" }, "challenge"]
]

for (const [name, reply, named] of refusals) {
  it(`a start page that returns ${name} twice fails the crawl, and the error says that crawlers are blocked`, function* () {
    const failed = yield* Effect.flip(crawl("http://site.test/", { "http://site.test/": reply }))
    expect(failed).toMatchObject({ _tag: "CrawlFailed", code: "start_refused" })
    expect(failed.message).toContain("http://site.test/")
    expect(failed.message).toContain(named)
  })

  it(`a start page that returns ${name} once and then a page is crawled`, function* () {
    const outbound = memoryOutbound((url, _, asked) => {
      if (url.pathname !== "/") return { status: 404, headers: {} }
      return asked === 0 ? reply : home
    })
    const { pages } = yield* Effect.provide(report("http://site.test/"), outbound)
    expect(pages[0]).toMatchObject({ health_reason: "ok" })
    expect(pages[0]?.evidence?.attempts.length).toBe(2)
  })
}

it("a start URL that redirects to a page behind a sign-in fails the crawl", function* () {
  const failed = yield* Effect.flip(
    crawl("http://site.test/", { "http://site.test/": to("/in"), "http://site.test/in": { status: 401 } })
  )
  expect(failed.code).toBe("start_refused")
})

it("a start page that returns an error is a page of the report, not a failed crawl", function* () {
  const result = yield* crawl("http://site.test/", { "http://site.test/": { status: 500 } })
  expect(result.pages[0]).toMatchObject({ health_reason: "http_5xx", http_status: 500 })
  expect(result.score).toMatchObject({ has_data: true, aggregate_score: 0, status: "poor" })
})

for (const reply of [{ status: 500 }, { status: 429 }, { fault: "timeout" }, { fault: "reset" }] as const) {
  it(`robots.txt that fails with ${JSON.stringify(reply)} blocks everything: no page is requested, and there is no score`, function* () {
    const asked: Array<string> = []
    const outbound = memoryOutbound(
      (url) => (url.pathname === "/robots.txt" ? reply : home),
      (url) => asked.push(url.pathname)
    )
    const result = yield* Effect.provide(report("http://site.test/"), outbound)
    expect(new Set(asked)).toEqual(new Set(["/robots.txt"]))
    expect(result.summary.robots.state).toBe("unreachable")
    expect(result.pages[0]).toMatchObject({ fetch_state: "not_fetched", health_reason: "robots_unreachable" })
    expect(result.score.has_data).toBe(false)
    expect(result.summary.dead_links.state).toBe("unavailable")
  })
}

it("robots.txt that fails once is requested again and then obeyed", function* () {
  const outbound = memoryOutbound((url, _, asked) =>
    url.pathname === "/robots.txt" ? (asked === 0 ? { status: 500 } : { body: "User-agent: *\nDisallow:" }) : home
  )
  const result = yield* Effect.provide(report("http://site.test/"), outbound)
  expect(result.summary.robots.state).toBe("parsed")
})

it("robots.txt is read through up to five redirects, also on another host, and counts as absent beyond them", function* () {
  const hop = (count: number): Answers =>
    Object.fromEntries([
      ["http://site.test/robots.txt", to("http://cdn.test/1")],
      ...Array.from(
        { length: count - 1 },
        (_, index) => [`http://cdn.test/${index + 1}`, to(`/${index + 2}`)] as const
      ),
      [`http://cdn.test/${count}`, { body: "User-agent: googlebot\nUser-agent: findablebot\nDisallow: /" }],
      ["http://site.test/", home]
    ])
  const near = yield* crawl("http://site.test/", hop(5))
  expect(near.summary.robots).toMatchObject({ state: "parsed", group: "findablebot" })
  expect(near.pages[0]?.evidence?.robots_line).toEqual({ line: 3, text: "Disallow: /", group: "googlebot" })
  const far = yield* crawl("http://site.test/", hop(6))
  expect(far.summary.robots.state).toBe("absent")
})

it("a start page behind a cookie wall is crawled with the cookie, and the crawl keeps the cookie", function* () {
  const wall = memoryOutbound((url, { cookies }) => {
    if (url.pathname === "/robots.txt") return { status: 404 }
    if (url.pathname === "/consent") return { status: 302, headers: { location: "/", "set-cookie": "ok=1; Path=/" } }
    if (cookies !== "ok=1") return { status: 302, headers: { location: "/consent" } }
    return { body: html({ title: url.pathname, links: ["/a"] }) }
  })
  const result = yield* Effect.provide(report("http://site.test/"), wall)
  expect(result.pages.find(({ url }) => url.endsWith("/"))?.health_reason).toBe("ok")
  expect(result.pages.find(({ url }) => url.endsWith("/a"))?.health_reason).toBe("ok")
})

it("a start URL that redirects to itself forever is a redirect loop", function* () {
  const result = yield* crawl("http://site.test/", { "http://site.test/": to("/x"), "http://site.test/x": to("/") })
  expect(result.pages.map(({ health_reason }) => health_reason)).toEqual(["redirect_loop", "redirect_loop"])
  expect(result.score.has_data).toBe(false)
})

/** The error of a crawl without a start page, with the real client and only 127.0.0.0/8 allowed. */
const said = (url: string, own?: Partial<CrawlOptions>) =>
  Effect.map(
    Effect.flip(
      Effect.provide(
        report(url, own),
        Layer.succeed(
          Outbound,
          client({ resolver: names({ "intranet.test": ["10.1.2.3"], "site.test": ["127.0.0.1"] }) })
        )
      )
    ),
    ({ code, message }) => ({ code, message })
  )

const unreachable = (url: string, why: string) => ({
  code: "start_unreachable" as const,
  message: `${url} cannot be reached: ${why}`
})

/** A site with robots.txt whose start page fails in this way. */
const breaking = (respond: (socket: Socket) => void) =>
  serve((socket, request) => {
    if (request.startsWith("GET /robots.txt")) socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    else respond(socket)
  })

describe("a start URL that private-network protection blocks", () => {
  const opens = (networks: string) => `set FINDABLE_ALLOW_PRIVATE_NETWORKS=${networks} to allow it`

  it("is reported with the kind of its IP address and the setting that allows it", function* () {
    expect(yield* said("http://10.0.0.1/")).toEqual(
      unreachable("http://10.0.0.1/", `10.0.0.1 is not a public IP address (private); ${opens("10.0.0.0/8")}`)
    )
    expect(yield* said("http://[::1]:8080/")).toEqual(
      unreachable("http://[::1]:8080/", `::1 is not a public IP address (loopback); ${opens("::1/128")}`)
    )
  })

  it("is reported without the IP address of its host name", function* () {
    expect(yield* said("http://intranet.test/")).toEqual(
      unreachable(
        "http://intranet.test/",
        `intranet.test resolves to an IP address that is not public (private); ${opens("10.0.0.0/8,172.16.0.0/12,192.168.0.0/16")}`
      )
    )
  })

  it("because of its credentials is reported without them and without advice on networks", function* () {
    expect(yield* said("http://me:secret@site.test/")).toEqual(
      unreachable("http://***@site.test/", "The URL contains credentials")
    )
  })
})

describe("the error for an unreachable start URL says what failed:", () => {
  it("no IP address", function* () {
    const url = "http://nowhere.test/"
    expect(yield* said(url)).toEqual(unreachable(url, "nowhere.test has no address"))
  })

  it("a refused connection", function* () {
    const url = "http://site.test:2/"
    expect(yield* said(url)).toEqual(unreachable(url, "The connection was refused (connect ECONNREFUSED 127.0.0.1:2)"))
  })

  it("a TLS handshake with a server without TLS", function* () {
    const { port } = yield* serve(
      (socket) => socket.end("no TLS here"),
      (bytes) => bytes.length > 0
    )
    const { code, message } = yield* said(`https://site.test:${port}/`)
    expect(code).toBe("start_unreachable")
    expect(message).toStartWith(`https://site.test:${port}/ cannot be reached: The TLS connection failed (`)
  })

  it("a response that never arrives", function* () {
    const { url } = yield* breaking(() => {})
    const { message } = yield* said(url, { timing: shortTiming })
    expect([
      unreachable(url, "The server stopped sending data").message,
      unreachable(url, "The request took longer than its time limit").message
    ]).toContain(message)
  })

  it("a connection closed before the response", function* () {
    const { url } = yield* breaking((socket) => socket.end())
    expect(yield* said(url)).toEqual(unreachable(url, "The server closed the connection before it responded"))
  })

  it("a response in another protocol", function* () {
    const { url } = yield* breaking((socket) => socket.end("SSH-2.0-server\r\n\r\n"))
    expect(yield* said(url)).toEqual(unreachable(url, "The server did not respond with HTTP/1.1"))
  })
})
