import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlOptions } from "../../src/crawl/Crawl.ts"
import { report as reportSoon } from "../crawl/site/Crawled.ts"
import { html } from "../crawl/site/Html.ts"
import { loopback } from "../crawl/site/Loopback.ts"
import type { Reply } from "../crawl/site/MemoryOutbound.ts"
import { type Handler, serve } from "../crawl/site/Server.ts"
import { delay, homeOf, sound, timed } from "../crawl/site/Timed.ts"
import { it } from "../harness.ts"

/** No slow page is given up: these tests check the times of requests, on a machine that may be busy. */
const timing = { pageDeadline: 5000, idleTimeout: 5000, robotsDeadline: 5000, confirmAfter: 20, backoff: 20 }

const report = (url: string, options: Partial<CrawlOptions> = {}) => reportSoon(url, { timing, ...options })

type ServerReply = Parameters<Handler>[1]

const send = (response: ServerReply, body: string, type = "text/html") => {
  response.writeHead(200, { "content-type": type })
  response.end(body)
}

const status = (response: ServerReply, code: number, headers: Record<string, string> = {}) => {
  response.writeHead(code, headers)
  response.end()
}

/** Slow enough for requests to overlap. */
const slowly =
  (answer: Handler): Handler =>
  (request, response, asked) =>
    void setTimeout(() => answer(request, response, asked), 10)

const urlset = (locations: ReadonlyArray<string>) =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${locations
    .map((location) => `<url><loc>${location}</loc></url>`)
    .join("")}</urlset>`

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, index) => `/${name}${index}`)

describe("concurrent requests to a host", () => {
  it("are never more than six, for any options of a crawl, and six when there is enough work", () =>
    Effect.gen(function* () {
      const pages = [...numbered("page", 12), ...numbered("gone", 5), ...numbered("broken", 5), ...numbered("move", 5)]
      const server = yield* serve((origin) =>
        slowly((request, response, asked) => {
          const path = request.url ?? ""
          if (path === "/robots.txt") return send(response, "", "text/plain")
          if (path === "/sitemap.xml") {
            return send(response, urlset(numbered("listed", 8).map((each) => `${origin}${each}`)), "application/xml")
          }
          if (path === "/") return send(response, html({ title: "Home", links: pages }))
          if (path.startsWith("/gone")) return status(response, 404)
          if (path.startsWith("/broken")) return status(response, 500)
          if (path.startsWith("/move")) return status(response, 302, { location: `/to${path.slice(5)}` })
          if (path.startsWith("/page") && asked === 0) return void request.socket.destroy()
          const lang = `<link rel="alternate" hreflang="de" href="/de${path.slice(1)}">`
          // A page that looks like the error page is requested twice.
          send(response, html({ title: path.startsWith("/listed") ? "Page not found" : path, head: lang }))
        })
      )
      const result = yield* report(`${server.origin}/`)
      expect(Math.max(...server.seen.map(({ inFlight }) => inFlight))).toBe(6)
      expect(result.summary.pages.fetched).toBe(50)
      expect(server.seen.length).toBeGreaterThan(70)
    }).pipe(Effect.provide(loopback)))
})

/** Both ways of asking for a pause of one second; dates have whole seconds. */
const forms = [
  { form: "in seconds", headersAt: () => ({ "retry-after": "1" }) },
  {
    form: "as a date",
    headersAt: (at: number) => ({
      date: new Date(at).toUTCString(),
      "retry-after": new Date(Math.floor(at / 1000) * 1000 + 1000).toUTCString()
    })
  }
]

const refusals = forms.flatMap((form) =>
  ["/robots.txt", "/", "/sitemap.xml", "/p4"].flatMap((place) =>
    [429, 503].map((code) => ({ ...form, place, code, name: `${code} with Retry-After ${form.form} for ${place}` }))
  )
)

describe("a host that asks for a pause of one second", () => {
  for (const { code, headersAt, name, place } of refusals) {
    it(`${name} gets no request during the pause, then one at a time, and all pages are found`, function* () {
      let refusedAt = Number.NaN
      const { result, seen } = yield* timed((url, asked, at) => {
        if (url.pathname === place && asked === 0) {
          refusedAt = at + delay
          return { status: code, headers: headersAt(refusedAt) }
        }
        const isMissing = url.pathname === "/sitemap.xml" || url.pathname.startsWith("/findable")
        const page = isMissing ? (): Reply => ({ status: 404 }) : sound
        return homeOf(20, "User-agent: *\nDisallow:", page)(url, asked, at)
      })
      // Requests in flight with the refusal do not count: the crawler cannot have known.
      const after = seen.filter(({ at }) => at > refusedAt)
      // A date without its fraction of a second may be that much earlier.
      expect(after[0]?.at).toBeGreaterThanOrEqual(refusedAt + 1000 - (refusedAt % 1000))
      expect([after[0]?.inFlight, after[0]?.path === place || place === "/p4" || place === "/sitemap.xml"]).toEqual([
        1,
        true
      ])
      expect(result.summary).toMatchObject({ termination: "complete", pages: { fetched: 21, failed: 0, skipped: 0 } })
    })
  }
})

describe("paths that robots.txt blocks", () => {
  const rules = [
    "User-agent: FindableBot",
    "Disallow: /no",
    "Disallow: /*.secret$",
    "Disallow: /findable-probe",
    "Allow: /no/but"
  ]
  const hidden = (count: number) => `/no/${count}`

  it("are never requested, through any kind of reference", () =>
    Effect.gen(function* () {
      const server = yield* serve((origin) => (request, response) => {
        const path = request.url ?? ""
        switch (path) {
          case "/robots.txt":
            return send(
              response,
              [...rules, `Sitemap: ${origin}/no/sitemap.xml`, `Sitemap: ${origin}/sitemap.xml`].join("\n"),
              "text/plain"
            )
          case "/sitemap.xml":
            return send(response, urlset([`${origin}${hidden(1)}`, `${origin}/moved-map`]), "application/xml")
          case "/":
            return send(
              response,
              html({
                title: "Home",
                links: [
                  hidden(2),
                  "/a.secret",
                  "/moved",
                  "/moved-for-good",
                  "/chain",
                  "/cookie",
                  "/fresh",
                  "/refers",
                  "/no/but/this"
                ]
              })
            )
          case "/moved":
          case "/moved-map":
            return status(response, 302, { location: hidden(4) })
          case "/moved-for-good":
            return status(response, 308, { location: hidden(5) })
          case "/chain":
            return status(response, 302, { location: "/chain-2" })
          case "/chain-2":
            return status(response, 302, { location: hidden(6) })
          case "/cookie":
            return status(response, 302, { location: hidden(7), "set-cookie": "a=1; Path=/" })
          case "/fresh":
            return send(response, html({ head: `<meta http-equiv="refresh" content="0; url=${hidden(8)}">` }))
          case "/refers":
            return send(
              response,
              html({
                title: "Refers",
                head: `<link rel="canonical" href="${hidden(9)}"><link rel="alternate" hreflang="de" href="${hidden(10)}">`,
                body: `<iframe src="${hidden(11)}"></iframe>`
              })
            )
          default:
            return send(response, html({ title: path }))
        }
      })
      const { pages, summary } = yield* report(`${server.origin}/`)
      const asked = server.seen.map(({ path }) => path)
      expect(asked.filter((path) => /^\/no(?!\/but)|\.secret$|^\/findable/i.test(path))).toEqual([])
      expect(asked).toContain("/no/but/this")
      const blocked = pages.filter(({ health_reason }) => health_reason === "blocked_for_us")
      expect(blocked.length).toBe(11)
      for (const { evidence } of blocked) expect(evidence?.robots_line?.group).toBe("FindableBot")
      expect(summary.dead_links.found).toBe(0)
      expect(summary.sitemap.files[0]?.state).toBe("blocked_by_robots")
    }).pipe(Effect.provide(loopback)))

  it("are not requested when the start page redirects to them", () =>
    Effect.gen(function* () {
      const server = yield* serve(() => (request, response) => {
        if (request.url === "/robots.txt") return send(response, rules.join("\n"), "text/plain")
        status(response, 301, { location: "/no/start" })
      })
      const failed = yield* Effect.flip(report(`${server.origin}/`))
      expect(server.seen.map(({ path }) => path).filter((path) => path.startsWith("/no"))).toEqual([])
      expect(failed).toMatchObject({ _tag: "CrawlFailed", code: "start_refused" })
    }).pipe(Effect.provide(loopback)))

  it("are not requested when a sitemap redirects to them", () =>
    Effect.gen(function* () {
      const server = yield* serve(() => (request, response) => {
        if (request.url === "/robots.txt") return send(response, rules.join("\n"), "text/plain")
        if (request.url === "/sitemap.xml") return status(response, 302, { location: "/no/sitemap.xml" })
        send(response, html({ title: "Home" }))
      })
      const { summary } = yield* report(`${server.origin}/`)
      expect(server.seen.map(({ path }) => path).filter((path) => path.startsWith("/no"))).toEqual([])
      expect(summary.sitemap.files[0]?.state).toBe("blocked_by_robots")
    }).pipe(Effect.provide(loopback)))
})

describe("a Crawl-delay with a time limit", () => {
  it("allows as many requests as the report says, including redirects and confirmations", () =>
    Effect.gen(function* () {
      const server = yield* serve(() => (request, response) => {
        const path = request.url ?? ""
        if (path === "/robots.txt") return send(response, "User-agent: *\nCrawl-delay: 0.3", "text/plain")
        if (path === "/")
          return send(response, html({ title: "Home", links: ["/moved", "/gone", ...numbered("p", 9)] }))
        if (path === "/moved") return status(response, 301, { location: "/p0" })
        if (path === "/gone") return status(response, 404)
        send(response, html({ title: path }))
      })
      const { pages, summary } = yield* report(`${server.origin}/`, { deadline: "2 seconds" })
      const { crawl_delay_allows: allows } = summary.robots
      expect(summary.robots.crawl_delay_seconds).toBe(0.3)
      expect(allows).toBe(6)
      // robots.txt comes first, before any delay is known.
      expect(server.seen.length).toBeLessThanOrEqual(1 + (allows ?? 0))
      expect(server.seen.length).toBeGreaterThan(3)
      // A busy machine makes single requests arrive late, and so the gap behind them short.
      const arrivals = server.seen.map(({ arrived }) => arrived)
      const gap = ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / (arrivals.length - 1)
      expect(gap).toBeGreaterThan(240)
      expect(summary).toMatchObject({ complete: false, termination: "max-duration", dead_links: { state: "partial" } })
      expect(summary.limits.deadline_seconds).toBe(2)
      expect(pages.filter(({ health_reason }) => health_reason === "limit_reached").length).toBeGreaterThan(0)
    }).pipe(Effect.provide(loopback)))
})
