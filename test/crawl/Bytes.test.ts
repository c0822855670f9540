import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../harness.ts"
import { report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { loopback } from "./site/Loopback.ts"
import { memoryOutbound } from "./site/MemoryOutbound.ts"
import { serve } from "./site/Server.ts"

/** The bytes of a text in UTF-8, one character each, as in a header. */
const raw = (text: string): string => Buffer.from(text).toString("latin1")

it("bytes above ASCII in Location, Link and Refresh are percent-escaped as received", () =>
  Effect.gen(function* () {
    const { origin } = yield* serve(() => (request, response) => {
      const type = { "content-type": "text/html; charset=utf-8" }
      const answers: Readonly<Record<string, () => void>> = {
        "/": () =>
          response
            .writeHead(200, type)
            .end(html({ title: "Home", links: ["/old", "/legacy", "/self-%C3%A9", "/wait"] })),
        "/old": () => response.writeHead(301, { location: raw("/café?q=né") }).end(),
        "/legacy": () => response.writeHead(301, { location: "/caf\xe9" }).end(),
        "/wait": () =>
          response.writeHead(200, { ...type, refresh: raw("0; url=/später") }).end(html({ title: "Wait" })),
        "/self-%C3%A9": () =>
          response.writeHead(200, { ...type, link: raw('</self-é>; rel="canonical"') }).end(html({ title: "Self" }))
      }
      const pages = ["/caf%C3%A9?q=n%C3%A9", "/caf%E9", "/sp%C3%A4ter"]
      const path = request.url ?? "/"
      const answer = answers[path] ?? (() => response.writeHead(404, type).end("none"))
      if (pages.includes(path)) response.writeHead(200, type).end(html({ title: path }))
      else answer()
    })
    const { pages, summary } = yield* report(`${origin}/`)
    const states = Object.fromEntries(pages.map(({ health_reason, url }) => [url.slice(origin.length), health_reason]))
    expect(states).toEqual({
      "/": "ok",
      "/old": "redirect_permanent",
      "/legacy": "redirect_permanent",
      "/self-%C3%A9": "ok",
      "/wait": "redirect_permanent",
      "/caf%C3%A9?q=n%C3%A9": "ok",
      "/caf%E9": "ok",
      "/sp%C3%A4ter": "ok"
    })
    expect(summary.dead_links.found).toBe(0)
  }).pipe(Effect.provide(loopback)))

it("bytes after the end of a gzip stream are an issue of a sitemap, which is read anyway, and no issue of a page", () =>
  Effect.gen(function* () {
    const { origin } = yield* serve((own) => (request, response) => {
      const [type, text] =
        request.url === "/"
          ? ["text/html; charset=utf-8", html({ title: "Home" })]
          : [
              "application/xml",
              `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${own}/</loc></url></urlset>`
            ]
      if (request.url === "/" || request.url === "/sitemap.xml")
        response
          .writeHead(200, { "content-type": type, "content-encoding": "gzip" })
          .end(Buffer.concat([Bun.gzipSync(text), Buffer.from("<!-- cached -->")]))
      else response.writeHead(404, { "content-type": "text/plain" }).end("none")
    })
    const { pages, summary } = yield* report(`${origin}/`)
    expect(pages[0]).toMatchObject({ health_reason: "ok" })
    expect(summary.sitemap).toMatchObject({ state: "complete", urls: 1 })
    expect(summary.sitemap.files[0]?.problems).toEqual([
      { kind: "gzip_trailing", count: 1, detail: "15 bytes after the end of the gzip stream", text: "<!-- cached -->" }
    ])
  }).pipe(Effect.provide(loopback)))

/** A page in a legacy encoding with a link, and the only query that its server accepts. */
const pages: ReadonlyArray<readonly [charset: string, body: Uint8Array, query: string]> = [
  ["iso-8859-1", Buffer.from("caf\xe9", "latin1"), "?q=caf%E9"],
  ["windows-1251", Uint8Array.of(0xcf, 0xf0, 0xe8), "?q=%CF%F0%E8"],
  ["shift_jis", Uint8Array.of(0x93, 0xfa, 0x96, 0x7b), "?q=%93%FA%96{"],
  ["euc-jp", Uint8Array.of(0xc6, 0xfc), "?q=%C6%FC"],
  ["iso-2022-jp", Buffer.from("\x1b$BF|K\\\x1b(B"), "?q=%1B$BF|K\\%1B(B"],
  ["gbk", Uint8Array.of(0xd6, 0xd0), "?q=%D6%D0"],
  ["gb18030", Uint8Array.of(0xd6, 0xd0, 0x94, 0x39, 0xfc, 0x36), "?q=%D6%D0%949%FC6"],
  ["big5", Uint8Array.of(0xa4, 0xa4), "?q=%A4%A4"],
  ["euc-kr", Uint8Array.of(0xc7, 0xd1), "?q=%C7%D1"],
  ["windows-1252", Buffer.from("&#26085;"), "?q=%26%2326085%3B"],
  ["utf-16le", Buffer.from("caf\xe9", "utf16le"), "?q=caf%C3%A9"],
  ["utf-8", Buffer.from("café"), "?q=caf%C3%A9"]
]

describe("the query of a link is encoded in the encoding of its document", () => {
  for (const [charset, body, query] of pages) {
    it(charset, function* () {
      const wide = (text: string) => Buffer.from(text, charset.startsWith("utf-16") ? "utf16le" : "latin1")
      const [before = "", after = ""] = html({ title: "Home", body: '<a href="/s?q=|#top">find</a>' }).split("|")
      const site = memoryOutbound((url) => {
        if (url.pathname === "/")
          return {
            headers: { "content-type": `text/html; charset=${charset}` },
            body: Buffer.concat([wide(before), body, wide(after)])
          }
        return `${url.search}` === query ? { body: html({ title: "Found" }) } : { status: 404, headers: {} }
      })
      const result = yield* Effect.provide(report("http://site.test/"), site)
      expect(result.pages.map(({ health_reason, url }) => [url, health_reason])).toEqual([
        ["http://site.test/", "ok"],
        [`http://site.test/s${query}`, "ok"]
      ])
    })
  }
})

it("the path of a link is encoded in UTF-8 in documents of any encoding", function* () {
  const site = memoryOutbound((url) => {
    if (url.pathname === "/")
      return {
        headers: { "content-type": "text/html; charset=iso-8859-1" },
        body: Buffer.from(html({ title: "Home", links: ["/caf\xe9"] }), "latin1")
      }
    return url.pathname === "/caf%C3%A9" ? { body: html({ title: "Found" }) } : { status: 404, headers: {} }
  })
  const { summary } = yield* Effect.provide(report("http://site.test/"), site)
  expect(summary.dead_links).toMatchObject({ found: 0, checked: 2 })
})

it("/~user/ and /%7Euser/ are one page, and robots.txt may spell its path either way", function* () {
  const site = memoryOutbound((url) => {
    if (url.pathname === "/robots.txt") return { body: "User-agent: *\nDisallow: /%7Eshut/\nDisallow: /~closed/" }
    if (url.pathname === "/")
      return { body: html({ title: "Home", links: ["/~user/", "/%7Euser/", "/%7eshut/a", "/%7Eclosed/a"] }) }
    return { body: html({ title: url.pathname }) }
  })
  const { pages } = yield* Effect.provide(report("http://site.test/"), site)
  expect(pages.map(({ health_reason, url }) => [new URL(url).pathname, health_reason])).toEqual([
    ["/", "ok"],
    ["/~user/", "ok"],
    ["/~shut/a", "blocked_by_robots"],
    ["/~closed/a", "blocked_by_robots"]
  ])
})
