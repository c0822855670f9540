import { describe, expect } from "bun:test"
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Outbound } from "../../src/foundation/outbound/Outbound.ts"
import { client, names } from "../foundation/outbound/client.ts"
import { serve } from "../foundation/outbound/server.ts"
import { it } from "../harness.ts"
import { report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound, type Reply } from "./site/MemoryOutbound.ts"

type Answers = Readonly<Record<string, Reply>>

/** Answers by full URL; everything else is 404. */
const site = (answers: Answers) => memoryOutbound((url) => answers[url.href] ?? { status: 404, headers: {} })

const crawl = (url: string, answers: Answers) => Effect.provide(report(url), site(answers))

const home: Reply = { body: html({ title: "Home" }) }

const to = (location: string, more: Readonly<Record<string, string>> = {}): Reply => ({
  status: 301,
  headers: { location, ...more }
})

it("a start that redirects to https and www is adopted, and the site is what it leads to", function* () {
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

it("the start page is measured even when its redirects use up the page limit", function* () {
  const answers = { "http://site.test/": to("/home"), "http://site.test/home": home }
  const result = yield* Effect.provide(report("http://site.test/", { maxPages: 1 }), site(answers))
  expect(result.pages.map(({ health_reason }) => health_reason)).toEqual(["redirect_permanent", "ok"])
  expect(result.summary.termination).toBe("complete")
})

it("a start that leaves the site ends the run", function* () {
  const failed = yield* Effect.flip(crawl("http://site.test/", { "http://site.test/": to("https://other.test/") }))
  expect(failed).toMatchObject({ _tag: "CrawlFailed", code: "start_redirects_offsite" })
  expect(failed.message).toContain("https://other.test/")
})

for (const fault of ["dns", "connect", "tls", "blocked_address"] as const) {
  it(`a start whose origin is down by ${fault} is unreachable`, function* () {
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
  it(`a start page lost by ${fault} is unreachable although robots.txt answers`, function* () {
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
  it(`a start page that answers ${name} twice refuses the crawler: the run fails and says so`, function* () {
    const failed = yield* Effect.flip(crawl("http://site.test/", { "http://site.test/": reply }))
    expect(failed).toMatchObject({ _tag: "CrawlFailed", code: "start_refused" })
    expect(failed.message).toContain("http://site.test/")
    expect(failed.message).toContain(named)
  })

  it(`a start page that answers ${name} once and then a page is crawled`, function* () {
    const outbound = memoryOutbound((url, _, asked) => {
      if (url.pathname !== "/") return { status: 404, headers: {} }
      return asked === 0 ? reply : home
    })
    const { pages } = yield* Effect.provide(report("http://site.test/"), outbound)
    expect(pages[0]).toMatchObject({ health_reason: "ok" })
    expect(pages[0]?.evidence?.attempts.length).toBe(2)
  })
}

it("a start that redirects to a page behind a login is refused", function* () {
  const failed = yield* Effect.flip(
    crawl("http://site.test/", { "http://site.test/": to("/in"), "http://site.test/in": { status: 401 } })
  )
  expect(failed.code).toBe("start_refused")
})

it("a start page that answers an error is a measured page, not a failed run", function* () {
  const result = yield* crawl("http://site.test/", { "http://site.test/": { status: 500 } })
  expect(result.pages[0]).toMatchObject({ health_reason: "http_5xx", http_status: 500 })
  expect(result.score).toMatchObject({ has_data: true, aggregate_score: 0, status: "poor" })
})

for (const reply of [{ status: 500 }, { status: 429 }, { fault: "timeout" }, { fault: "reset" }] as const) {
  it(`robots.txt that gives ${JSON.stringify(reply)} forbids everything: nothing is asked, nothing is scored`, function* () {
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

it("a robots.txt that fails once and then answers is the one that answered", function* () {
  const outbound = memoryOutbound((url, _, asked) =>
    url.pathname === "/robots.txt" ? (asked === 0 ? { status: 500 } : { body: "User-agent: *\nDisallow:" }) : home
  )
  const result = yield* Effect.provide(report("http://site.test/"), outbound)
  expect(result.summary.robots.state).toBe("parsed")
})

it("robots.txt is followed over five redirects, also to another host, and is absent beyond", function* () {
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

it("a start behind a cookie wall is reached with the cookie, and the run keeps it", function* () {
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

it("a start that redirects to itself for ever is a loop", function* () {
  const result = yield* crawl("http://site.test/", { "http://site.test/": to("/x"), "http://site.test/x": to("/") })
  expect(result.pages.map(({ health_reason }) => health_reason)).toEqual(["redirect_loop", "redirect_loop"])
  expect(result.score.has_data).toBe(false)
})

/** What a crawl says that finds no start page, through the real client with nothing but 127.0.0.0/8 opened. */
const said = (url: string) =>
  Effect.map(
    Effect.flip(
      Effect.provide(
        report(url),
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

/** A site with robots.txt whose start page goes wrong in this way. */
const breaking = (respond: (socket: Socket) => void) =>
  serve((socket, request) => {
    if (request.startsWith("GET /robots.txt")) socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    else respond(socket)
  })

describe("a start that is refused by the guard", () => {
  const opens = (networks: string) => `set FINDABLE_ALLOW_PRIVATE_NETWORKS=${networks} to allow it`

  it("is named with the kind of its address and with what opens it", function* () {
    expect(yield* said("http://10.0.0.1/")).toEqual(
      unreachable("http://10.0.0.1/", `10.0.0.1 is not a public IP address (private); ${opens("10.0.0.0/8")}`)
    )
    expect(yield* said("http://[::1]:8080/")).toEqual(
      unreachable("http://[::1]:8080/", `::1 is not a public IP address (loopback); ${opens("::1/128")}`)
    )
  })

  it("behind a name is not told which address the name has", function* () {
    expect(yield* said("http://intranet.test/")).toEqual(
      unreachable(
        "http://intranet.test/",
        `intranet.test resolves to an IP address that is not public (private); ${opens("10.0.0.0/8,172.16.0.0/12,192.168.0.0/16")}`
      )
    )
  })

  it("for its form gets no advice on networks, and its credentials are not repeated", function* () {
    expect(yield* said("http://me:secret@site.test/")).toEqual(
      unreachable("http://***@site.test/", "The URL contains credentials")
    )
  })
})

describe("a start that cannot be reached says what went wrong:", () => {
  it("no address", function* () {
    const url = "http://nowhere.test/"
    expect(yield* said(url)).toEqual(unreachable(url, "nowhere.test has no address"))
  })

  it("a refused connection", function* () {
    const url = "http://site.test:2/"
    expect(yield* said(url)).toEqual(unreachable(url, "The connection was refused (connect ECONNREFUSED 127.0.0.1:2)"))
  })

  it("a TLS handshake with a server that has none", function* () {
    const { port } = yield* serve(
      (socket) => socket.end("no TLS here"),
      (bytes) => bytes.length > 0
    )
    const { code, message } = yield* said(`https://site.test:${port}/`)
    expect(code).toBe("start_unreachable")
    expect(message).toStartWith(`https://site.test:${port}/ cannot be reached: The TLS connection failed (`)
  })

  it("an answer that never comes", function* () {
    const { url } = yield* breaking(() => {})
    const { message } = yield* said(url)
    expect([
      unreachable(url, "The server stopped sending data").message,
      unreachable(url, "The request took longer than its time limit").message
    ]).toContain(message)
  })

  it("a connection that ends before the answer", function* () {
    const { url } = yield* breaking((socket) => socket.end())
    expect(yield* said(url)).toEqual(unreachable(url, "The server closed the connection before it responded"))
  })

  it("an answer in another protocol", function* () {
    const { url } = yield* breaking((socket) => socket.end("SSH-2.0-server\r\n\r\n"))
    expect(yield* said(url)).toEqual(unreachable(url, "The server did not respond with HTTP/1.1"))
  })
})
