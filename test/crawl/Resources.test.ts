import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlOptions, CrawlResult } from "../../src/crawl/Crawl.ts"
import type { OutboundRequest } from "../../src/foundation/outbound/Outbound.ts"
import { it } from "../harness.ts"
import { report, shortTiming } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { loopback } from "./site/Loopback.ts"
import { memoryOutbound, type Reply } from "./site/MemoryOutbound.ts"
import { serve } from "./site/Server.ts"
import { timed } from "./site/Timed.ts"

type Part = (method: OutboundRequest["method"], asked: number, url: URL) => Reply

const missing: Reply = { status: 404, body: "none" }
const png = (length: number): Reply => ({
  headers: { "content-type": "image/png", "content-length": `${length}` },
  body: ""
})

/** Crawls a site whose start page has this body, with scripted responses for other URLs. */
const crawled = (body: string, parts: Readonly<Record<string, Part>>, own: Partial<CrawlOptions> = {}) =>
  Effect.suspend(() => {
    const sent: Array<OutboundRequest> = []
    const site = memoryOutbound((url, request, asked) => {
      sent.push(request)
      if (url.host !== "site.test") return missing
      if (url.pathname === "/") return { body: html({ title: "Home", body }) }
      return parts[url.pathname]?.(request.method, asked, url) ?? missing
    })
    return report("https://site.test/", own).pipe(
      Effect.map((result) => ({ result, sent, asked: requests(sent) })),
      Effect.provide(site)
    )
  })

/** The requests besides those that every crawl sends. */
const requests = (sent: ReadonlyArray<OutboundRequest>): ReadonlyArray<string> =>
  sent
    .map(({ method, url }) => `${method} ${url.host === "site.test" ? "" : url.host}${url.pathname}`)
    .filter((line) => !/^GET \/(?:$|robots\.txt$|sitemap\.xml$|findable-probe)/.test(line))

const findingOf = ({ findings }: CrawlResult, rule = "resource_broken") => {
  const { count, evidence, pages, status } = findings.find((each) => each.rule === rule) ?? findings[0] ?? never()
  return { count, items: evidence.items, pages, reason: evidence.reason, status }
}

const never = (): never => {
  throw new Error("no findings")
}

describe("a broken image, style or script", () => {
  it("is reported with its URL, element, place and status, and is no broken link", function* () {
    const body = '<header><a href="/"><img src="logo.png" alt="Shop"></a></header><script src="/app.js"></script>'
    const { result } = yield* crawled(body, { "/app.js": () => ({ status: 500, headers: {} }) })
    expect(findingOf(result)).toEqual({
      count: 1,
      items: [
        {
          url: "https://site.test/",
          detail: "https://site.test/logo.png (404), https://site.test/app.js (500)",
          value: "https://site.test/logo.png",
          markup: '<img src="logo.png" alt="Shop">',
          place: "header"
        }
      ],
      pages: ["https://site.test/"],
      reason: "scripts were not run",
      status: "fail"
    })
    expect(result.summary.dead_links).toMatchObject({ checked: 1, found: 0, items: [] })
    expect(result.summary.pages.discovered).toBe(1)
    expect(result.score.breakdown.lost.map((lost) => "rule" in lost && lost.rule)).toContain("resource_broken")
  })

  it("is reported for stylesheets too, but not for other hosts or for files that a page does not load", function* () {
    const body =
      '<link rel="stylesheet" href="/site.css"><link rel="icon" href="/icon.png"><img src="https://cdn.test/a.png" alt="A">' +
      '<img srcset="/small.png 1x" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="B"><video src="/film.mp4"></video>' +
      '<img src="http://www.site.test/other-door.png" alt="C">'
    const { asked, result } = yield* crawled(body, {})
    expect(asked.toSorted()).toEqual([
      "GET /site.css",
      "GET /site.css",
      "GET www.site.test/other-door.png",
      "GET www.site.test/other-door.png",
      "GET www.site.test/robots.txt",
      "HEAD /site.css",
      "HEAD www.site.test/other-door.png"
    ])
    expect(findingOf(result).items[0]?.detail).toBe(
      "https://site.test/site.css (404), http://www.site.test/other-door.png (404)"
    )
  })

  it("is confirmed by two failing GET requests, whatever HEAD returns", function* () {
    const body = ["a", "b", "c", "d", "e"].map((name) => `<img src="/${name}.png" alt="${name}">`).join("")
    const { asked, result } = yield* crawled(body, {
      "/a.png": (method) => (method === "HEAD" ? { status: 405 } : png(5)),
      "/b.png": (method) => (method === "HEAD" ? { status: 501 } : png(5)),
      "/c.png": (method) => (method === "HEAD" ? missing : png(5)),
      "/d.png": (_, asked) => (asked < 2 ? missing : png(5)),
      "/e.png": (method) => (method === "HEAD" ? { fault: "reset" } : png(5))
    })
    expect(findingOf(result)).toMatchObject({ count: 0, reason: null, status: "pass" })
    expect(asked.filter((line) => line.endsWith("/d.png"))).toEqual(["HEAD /d.png", "GET /d.png", "GET /d.png"])
    expect(asked.filter((line) => line.endsWith("/a.png"))).toEqual(["HEAD /a.png", "GET /a.png"])
  })

  it("is not a throttled, challenged or silent response, and the number of unclear files is reported", function* () {
    const body = ["slow", "guarded", "lost"].map((name) => `<img src="/${name}.png" alt="${name}">`).join("")
    const { asked, result } = yield* crawled(body, {
      "/slow.png": () => ({ status: 429, headers: {} }),
      "/guarded.png": () => ({ status: 403, headers: { "cf-mitigated": "challenge" } }),
      "/lost.png": () => ({ fault: "timeout" })
    })
    expect(findingOf(result)).toMatchObject({
      reason: "2 files that pages load gave no clear response",
      status: "not_assessed"
    })
    expect(asked.toSorted()).toEqual(["HEAD /guarded.png", "HEAD /lost.png", "HEAD /slow.png"])
  })

  it("is found behind redirects within the site, and redirects to other sites are not followed", function* () {
    const body = ["old", "away", "round"].map((name) => `<img src="/${name}.png" alt="${name}">`).join("")
    const to = (location: string) => () => ({ status: 301, headers: { location } })
    const { asked, result } = yield* crawled(body, {
      "/old.png": to("/new.png"),
      "/away.png": to("https://cdn.test/a.png"),
      "/round.png": to("/round.png")
    })
    expect(findingOf(result).items[0]?.detail).toBe("https://site.test/old.png (404)")
    expect(asked.filter((line) => !line.endsWith("/new.png")).toSorted()).toEqual([
      "HEAD /away.png",
      "HEAD /old.png",
      "HEAD /round.png"
    ])
  })

  it("is requested only as robots.txt allows, and only for indexable pages", function* () {
    const sent: Array<string> = []
    const site = memoryOutbound(({ pathname }, { method }) => {
      sent.push(`${method} ${pathname}`)
      if (pathname === "/robots.txt") return { body: "User-agent: *\nDisallow: /closed/" }
      if (pathname === "/") return { body: html({ body: '<img src="/closed/a.png" alt="A">', links: ["/hidden"] }) }
      return pathname === "/hidden"
        ? { body: html({ head: "<meta name=robots content=noindex>", body: '<img src="/b.png" alt="B">' }) }
        : missing
    })
    const result = yield* Effect.provide(report("https://site.test/"), site)
    expect(findingOf(result)).toMatchObject({ reason: null, status: "pass" })
    expect(sent.filter((line) => line.includes(".png"))).toEqual([])
  })

  it("is not assessed on the shell of a scripted site", function* () {
    const shell = '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>'
    const site = memoryOutbound(({ pathname }) => (pathname === "/app.js" ? missing : { body: shell }))
    const result = yield* Effect.provide(report("https://site.test/"), site)
    expect(findingOf(result).status).toBe("not_assessed")
  })
})

describe("requests for files of pages", () => {
  it("are two hundred at most, with files of more pages first, and the rest is reported", function* () {
    const sent: Array<string> = []
    const images = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => `<img src="/i${from + index}.png" alt="I">`).join("")
    const site = memoryOutbound(({ pathname }, { method }) => {
      if (method === "HEAD") sent.push(pathname)
      if (pathname === "/") return { body: html({ title: "a", links: ["/b"], body: images(0, 150) }) }
      if (pathname === "/b") return { body: html({ title: "b", links: ["/"], body: images(140, 150) }) }
      return pathname.startsWith("/i") ? png(5) : missing
    })
    const result = yield* Effect.provide(report("https://site.test/"), site)
    expect(sent).toHaveLength(200)
    expect(sent.slice(0, 11)).toEqual([...Array.from({ length: 10 }, (_, index) => `/i${140 + index}.png`), "/i0.png"])
    expect(findingOf(result)).toMatchObject({
      reason: "the crawl had no time for 90 files that pages load",
      status: "not_assessed"
    })
  })

  it("carry the site's cookies and configured headers, do not count as pages, and are sent in every crawl", function* () {
    const own = { checkDeadLinks: false, headers: { authorization: "Basic c2VjcmV0" }, maxPages: 1 }
    const sent: Array<OutboundRequest> = []
    const site = memoryOutbound(({ pathname }, request) => {
      sent.push(request)
      return pathname === "/"
        ? {
            headers: { "set-cookie": "a=1" },
            body: html({ body: '<img src="/a.png" alt="A"><script src="/b.js"></script>' })
          }
        : missing
    })
    const result = yield* Effect.provide(report("https://site.test/", own), site)
    const heads = sent.filter(({ method }) => method === "HEAD")
    expect(heads.map(({ authorization, cookies, url }) => [url.pathname, authorization, cookies])).toEqual([
      ["/a.png", "Basic c2VjcmV0", "a=1"],
      ["/b.js", "Basic c2VjcmV0", "a=1"]
    ])
    expect(findingOf(result).status).toBe("fail")
    expect(result.summary.pages).toEqual({ discovered: 1, fetched: 1, failed: 0, skipped: 0 })
  })

  it("without time left for them leave the crawl complete, and the rest is reported", function* () {
    const body = Array.from({ length: 40 }, (_, index) => `<img src="/i${index}.png" alt="I">`).join("")
    const { result, took } = yield* timed(
      ({ pathname }) =>
        pathname === "/" ? { body: html({ body }) } : pathname.startsWith("/i") ? { ...png(5), delay: 1000 } : missing,
      { deadline: "5 seconds", perHost: 2, timing: { ...shortTiming, pageDeadline: 2000 } }
    )
    expect(took).toBe(5000)
    expect(result.summary).toMatchObject({ complete: true, termination: "complete" })
    expect(findingOf(result)).toMatchObject({
      reason: expect.stringMatching(/^the crawl had no time for 3\d files that pages load$/),
      status: "not_assessed"
    })
    // Checks that need only the pages are assessed.
    expect(findingOf(result, "broken_link").status).toBe("pass")
  })
})

describe("a heavy image", () => {
  it("is recognized by its Content-Length alone", function* () {
    const names = ["heavy", "light", "unknown", "script"]
    const body = `${names.map((name) => `<img src="/${name}.png" alt="${name}">`).join("")}<script src="/big.js"></script>`
    const { asked, result } = yield* crawled(body, {
      "/heavy.png": () => png(300_001),
      "/light.png": () => png(300_000),
      "/unknown.png": () => ({ headers: { "content-type": "image/png" } }),
      "/script.png": (method) => (method === "HEAD" ? { status: 405 } : png(1_250_000)),
      "/big.js": () => png(900_000)
    })
    expect(findingOf(result, "image_heavy")).toMatchObject({
      count: 1,
      items: [
        {
          detail: "https://site.test/heavy.png (300 KB), https://site.test/script.png (1250 KB)",
          value: "https://site.test/heavy.png",
          markup: '<img src="/heavy.png" alt="heavy">',
          place: "main"
        }
      ],
      status: "fail"
    })
    expect(asked).toHaveLength(6)
  })

  it("is not downloaded, even if HEAD is refused", () =>
    Effect.gen(function* () {
      let written = 0
      const server = yield* serve(() => (request, response) => {
        if (request.url === "/") {
          response.writeHead(200, { "content-type": "text/html" })
          return response.end(html({ body: '<img src="/photo.jpg" alt="Photo">' }))
        }
        if (request.url !== "/photo.jpg" || request.method === "HEAD") {
          response.writeHead(request.url === "/photo.jpg" ? 405 : 404)
          return response.end()
        }
        response.writeHead(200, { "content-type": "image/jpeg", "content-length": 1_000_000_000 })
        const more = () => {
          while (!response.destroyed && written < 1_000_000_000) {
            written += 65_536
            if (!response.write(Buffer.alloc(65_536))) return response.once("drain", more)
          }
        }
        return more()
      })
      const result = yield* report(`${server.origin}/`)
      expect(findingOf(result, "image_heavy").items[0]?.detail).toBe(`${server.origin}/photo.jpg (1000000 KB)`)
      // The capacity of both ends' buffers before the connection is closed.
      expect(written).toBeLessThan(32 * 1_048_576)
    }).pipe(Effect.provide(loopback)))
})
