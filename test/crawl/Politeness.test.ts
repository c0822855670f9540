import { expect } from "bun:test"
import type { Socket } from "node:net"
import * as Effect from "effect/Effect"
import { serve as serveBytes } from "../foundation/outbound/server.ts"
import { it } from "../harness.ts"
import { report, shortTiming } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { loopback } from "./site/Loopback.ts"
import type { Reply } from "./site/MemoryOutbound.ts"
import { type Handler, serve } from "./site/Server.ts"
import { delay, homeOf, sound, timed } from "./site/Timed.ts"

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

it("no host ever has more concurrent requests than the crawl allows", function* () {
  const { seen } = yield* timed(homeOf(30, "", sound), { perHost: 4 })
  expect(Math.max(...seen.map(({ inFlight }) => inFlight))).toBe(4)
})

it("after a 429 with Retry-After no request arrives during the pause, and afterwards one at a time", function* () {
  let refusedAt = 0
  const { result, seen } = yield* timed(
    homeOf(20, "", (url, asked, at) => {
      if (url.pathname !== "/p3" || asked > 0) return sound(url, asked, at)
      refusedAt = at + delay
      return { status: 429, headers: { "retry-after": "1" } }
    })
  )
  // Requests in flight when the refusal was sent do not count: the crawler cannot have known.
  const after = seen.filter(({ at }) => at > refusedAt)
  expect(after[0]?.at).toBeGreaterThanOrEqual(refusedAt + 1000)
  expect(after[0]?.inFlight).toBe(1)
  expect(result.pages.find(({ url }) => url.endsWith("/p3"))?.health_reason).toBe("ok")
})

it("Retry-After as a date is obeyed too", function* () {
  let until = 0
  const { seen } = yield* timed(
    homeOf(3, "", (url, asked, at) => {
      if (url.pathname !== "/p1" || asked > 0) return sound(url, asked, at)
      // HTTP dates have whole seconds.
      until = Math.floor(at / 1000) * 1000 + 2000
      return { status: 503, headers: { "retry-after": new Date(until).toUTCString() } }
    })
  )
  expect(seen.filter(({ path }) => path === "/p1")[1]?.at).toBeGreaterThanOrEqual(until)
})

it("a pause longer than the crawl ends it immediately, and the remaining pages are rate limited, not broken", function* () {
  const refused = (): Reply => ({ status: 429, headers: { "retry-after": "3600" } })
  const { result, took } = yield* timed(homeOf(12, "", refused))
  expect(took).toBeLessThan(2000)
  expect(result.summary.termination).toBe("max-duration")
  expect(new Set(result.pages.slice(1).map(({ health_reason }) => health_reason))).toEqual(new Set(["rate_limited"]))
  expect(result.summary.dead_links).toMatchObject({ state: "partial", found: 0 })
})

it("Crawl-delay spaces the starts of requests, one at a time, and the report says so", function* () {
  const { result, seen } = yield* timed(homeOf(4, "User-agent: *\nCrawl-delay: 0.2", sound))
  const gaps = seen.slice(1).map(({ at }, index) => at - (seen[index]?.at ?? 0))
  expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(200)
  expect(Math.max(...seen.map(({ inFlight }) => inFlight))).toBe(1)
  expect(result.summary.robots).toMatchObject({ crawl_delay_seconds: 0.2, crawl_delay_allows: 100 })
})

it("a Crawl-delay beyond the time limit means fewer pages, not faster requests", function* () {
  const { result, seen } = yield* timed(homeOf(4, "User-agent: *\nCrawl-delay: 1", sound), {
    deadline: "2500 millis"
  })
  expect(seen.length).toBeLessThanOrEqual(3)
  expect(result.summary.termination).toBe("max-duration")
  expect(result.pages.at(-1)?.health_reason).toBe("limit_reached")
})

/** Sends 150 MiB as far as the client reads, and counts the bytes handed to the network. */
const film = (socket: Socket, head: string, sent: { bytes: number }) => {
  const piece = Buffer.alloc(65_536, 65)
  socket.write(head)
  const more = () => {
    while (!socket.destroyed) {
      if (sent.bytes >= filmLength) return void socket.end()
      sent.bytes += piece.length
      if (!socket.write(piece)) return void socket.once("drain", more)
    }
  }
  more()
}
const filmLength = 150 * 1_048_576

/** A site of a start page and one film with these headers. */
const cinema = (head: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sent = { bytes: 0 }
    const start = html({ title: "Home", links: ["/film"] })
    const { url } = yield* serveBytes((socket, request) => {
      if (request.startsWith("GET /film ")) return film(socket, `${head.join("\r\n")}\r\n\r\n`, sent)
      const status = request.startsWith("GET / ") ? "200 OK" : "404 No"
      socket.end(`HTTP/1.1 ${status}\r\nContent-Type: text/html\r\n\r\n${start}`)
    })
    return { sent, url: new URL("/", url).href }
  })

// The capacity of both ends' buffers before the connection is closed: a download would be 10 MiB and as much again.
const buffers = 8 * 1_048_576

it("the headers of a video are read and reported, and its body is not downloaded", () =>
  Effect.gen(function* () {
    const { sent, url } = yield* cinema([
      "HTTP/1.1 200 OK",
      "Content-Type: video/mp4",
      `Content-Length: ${filmLength}`,
      "X-Robots-Tag: noindex",
      'Link: <https://a.example/film>; rel="canonical"'
    ])
    const { findings, pages } = yield* report(url)
    expect(pages.find((page) => page.url.endsWith("/film"))).toMatchObject({
      canonical_url: "https://a.example/film",
      content_bytes: filmLength,
      fetch_state: "not_html",
      health_reason: "not_html",
      http_status: 200,
      evidence: { attempts: [{ http_status: 200, cause: null }] }
    })
    expect(findings.find(({ rule }) => rule === "noindex_file")?.status).toBe("fail")
    expect(sent.bytes).toBeLessThan(buffers)
  }).pipe(Effect.provide(loopback)))

it("an error response that is not HTML is read only as far as a bot challenge would show", () =>
  Effect.gen(function* () {
    const { sent, url } = yield* cinema(["HTTP/1.1 500 Oh", "Content-Type: application/octet-stream"])
    const { pages } = yield* report(url)
    expect(pages.find((page) => page.url.endsWith("/film"))).toMatchObject({
      content_bytes: 65_536,
      health_reason: "http_5xx"
    })
    // The film is requested twice.
    expect(sent.bytes).toBeLessThan(2 * buffers)
  }).pipe(Effect.provide(loopback)))

it("a file that breaks off, stalls or has a false Content-Encoding is still classified as a file", () =>
  Effect.gen(function* () {
    const server = yield* serve(() =>
      home(3, "", (request, response) => {
        const encoded = request.url === "/p1" ? { "content-encoding": "gzip" } : {}
        response.writeHead(200, { "content-type": "application/pdf", "content-length": 1000, ...encoded })
        response.write("%PDF")
        if (request.url === "/p0") setImmediate(() => request.socket.destroy())
      })
    )
    const { pages } = yield* report(`${server.origin}/`, { timing: shortTiming })
    expect(pages.slice(1).map(({ content_bytes, health_reason }) => [health_reason, content_bytes])).toEqual([
      ["not_html", 1000],
      ["not_html", null],
      ["not_html", 1000]
    ])
  }).pipe(Effect.provide(loopback)))

it("a bot challenge in another type than HTML is recognized, and a response without a type is analyzed", () =>
  Effect.gen(function* () {
    const server = yield* serve(() =>
      home(2, "", (request, response) => {
        if (request.url === "/p1") return send(response, html({ title: "Untyped" }), {})
        response.writeHead(403, { "content-type": "application/json" })
        response.end('{"src": "https://a.captcha-delivery.com/captcha/"}')
      })
    )
    const { pages } = yield* report(`${server.origin}/`)
    expect(pages.slice(1).map(({ health_reason, title }) => [health_reason, title])).toEqual([
      ["bot_challenge", null],
      ["ok", "Untyped"]
    ])
  }).pipe(Effect.provide(loopback)))

it("connections are kept alive: fifty pages need at most as many at a time as concurrent requests, and few in total", () =>
  Effect.gen(function* () {
    const connections = new Set<Socket>()
    const open = new Set<Socket>()
    let most = 0
    const server = yield* serve(() =>
      home(49, "", (request, response, asked) => {
        const { socket } = request
        if (!connections.has(socket)) socket.once("close", () => open.delete(socket))
        connections.add(socket)
        open.add(socket)
        most = Math.max(most, open.size)
        return slow(request, response, asked)
      })
    )
    const { pages } = yield* report(`${server.origin}/`, { perHost: 6 })
    const others = pages.filter(({ health_reason }) => health_reason !== "ok")
    expect(others.map(({ health_reason, url }) => [url, health_reason])).toEqual([])
    expect(pages).toHaveLength(50)
    expect(server.seen.length).toBeGreaterThan(50)
    expect(most).toBeLessThanOrEqual(6)
    // A connection that the server's side lost is replaced.
    expect(connections.size).toBeLessThanOrEqual(12)
  }).pipe(Effect.provide(loopback)))
