import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlOptions, CrawlResult } from "../../src/crawl/Crawl.ts"
import { renderHtml } from "../../src/crawl/formats/Html.ts"
import { renderReport } from "../../src/crawl/formats/Terminal.ts"
import type { OutboundRequest } from "../../src/foundation/outbound/Outbound.ts"
import { it } from "../harness.ts"
import { virtualClock } from "./generator/VirtualClock.ts"
import { report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound, type Reply } from "./site/MemoryOutbound.ts"

type Elsewhere = (url: URL, method: OutboundRequest["method"], asked: number) => Reply

const missing: Reply = { status: 404, body: "none" }
const fine: Reply = { body: "a page" }

/** Crawls a site whose pages link to these URLs, and returns the requests to other hosts. */
const crawled = (
  pages: Readonly<Record<string, ReadonlyArray<string>>>,
  elsewhere: Elsewhere,
  own: Partial<CrawlOptions> = { checkExternalLinks: true }
) =>
  Effect.suspend(() => {
    const sent: Array<OutboundRequest> = []
    const site = memoryOutbound((url, request, asked) => {
      if (url.host !== "site.test") {
        sent.push(request)
        return elsewhere(url, request.method, asked)
      }
      const links = pages[url.pathname]
      return links === undefined
        ? missing
        : { headers: { "set-cookie": "own=1" }, body: html({ title: url.pathname, links }) }
    })
    return report("https://site.test/", own).pipe(
      Effect.map((result) => ({ result, sent, asked: sent.map(({ method, url }) => `${method} ${url.href}`) })),
      Effect.provide(site)
    )
  })

const findingOf = ({ findings }: CrawlResult) => {
  const found = findings.find(({ rule }) => rule === "external_link_broken")
  return {
    detail: found?.evidence.items[0]?.detail,
    pages: found?.pages,
    reason: found?.evidence.reason,
    status: found?.status
  }
}

/** Statuses by the last path segment, equal for HEAD and GET; robots.txt is missing. */
const byStatus: Elsewhere = ({ pathname }) => {
  const status = Number(pathname.slice(1))
  return status > 0 ? { status, headers: {}, body: "" } : pathname === "/robots.txt" ? missing : fine
}

describe("external links", () => {
  it("are not checked unless the option is on", function* () {
    const { asked, result } = yield* crawled({ "/": ["https://a.test/404"] }, byStatus, {})
    expect(asked).toEqual([])
    expect(findingOf(result)).toMatchObject({
      reason: "the crawl did not check external links",
      status: "not_assessed"
    })
    expect(result.summary.external_links).toEqual({
      state: "disabled",
      checked: 0,
      found: 0,
      unverified: 0,
      items: []
    })
  })

  it("with a confirmed 4xx or 5xx are reported, but are no broken links and no pages of the site", function* () {
    const pages = {
      "/": ["/b", "https://a.test/404", "https://b.test/500#part", "https://c.test/fine"],
      "/b": ["https://a.test/404"]
    }
    const { result } = yield* crawled(pages, byStatus)
    const { result: without } = yield* crawled(pages, byStatus, {})
    const linked = (url: string, http_status: number, from: ReadonlyArray<string>) => ({
      url,
      http_status,
      linked_from: from,
      all_linked_from: from,
      anchor_text: `to ${url}`,
      attempts: [
        { http_status, cause: null },
        { http_status, cause: null }
      ]
    })
    const [start, other] = ["https://site.test/", "https://site.test/b"]
    expect(result.summary.external_links).toEqual({
      state: "complete",
      checked: 3,
      found: 2,
      unverified: 0,
      items: [
        linked("https://a.test/404", 404, [start, other]),
        { ...linked("https://b.test/500", 500, [start]), anchor_text: "to https://b.test/500#part" }
      ]
    })
    expect(result.findings.find(({ rule }) => rule === "external_link_broken")).toMatchObject({
      category: "links",
      severity: "warning",
      status: "fail",
      count: 2,
      pages: [start, other],
      evidence: {
        reason: null,
        items: [
          {
            url: start,
            detail:
              '"to https://a.test/404" → https://a.test/404 (404), "to https://b.test/500#part" → https://b.test/500 (500)',
            value: "https://a.test/404",
            markup: '<a href="https://a.test/404">to https://a.test/404</a>',
            place: "main"
          },
          { url: other }
        ]
      }
    })
    expect(result.summary.dead_links).toEqual(without.summary.dead_links)
    expect(result.summary.pages).toEqual(without.summary.pages)
    expect(result.score.coverage).toBe(without.score.coverage)
    expect(result.score.aggregate_score ?? 0).toBeLessThan(without.score.aggregate_score ?? 0)
    expect(result.pages.map(({ url }) => url)).toEqual([start, other])
  })

  it("are unverified, never broken, if their site blocks crawlers", function* () {
    const walls = [401, 403, 405, 406, 429, 451, 503, 999]
    const links = walls.map((status) => `https://wall-${status}.test/${status}`)
    const guarded: Elsewhere = (url, method, asked) =>
      url.host === "guard.test" && url.pathname === "/page"
        ? { status: 404, headers: { "cf-mitigated": "challenge" } }
        : byStatus(url, method, asked)
    const { asked, result } = yield* crawled({ "/": [...links, "https://guard.test/page"] }, guarded)
    expect(result.summary.external_links).toMatchObject({ state: "complete", checked: 0, found: 0, unverified: 9 })
    expect(findingOf(result)).toMatchObject({ reason: null, status: "pass" })
    expect(asked.filter((line) => line.includes("429.test/4"))).toEqual(["HEAD https://wall-429.test/429"])
    expect(asked.filter((line) => line.includes("403.test/4"))).toEqual([
      "HEAD https://wall-403.test/403",
      "GET https://wall-403.test/403"
    ])
  })

  it("to hosts without a response are unverified, and the check does not pass", function* () {
    const { result } = yield* crawled(
      { "/": ["https://gone.test/", "https://late.test/", "https://a.test/fine"] },
      (url) =>
        url.host === "gone.test"
          ? { fault: "dns" }
          : url.pathname === "/robots.txt"
            ? missing
            : url.host === "late.test"
              ? { fault: "timeout" }
              : fine
    )
    expect(result.summary.external_links).toMatchObject({ state: "complete", checked: 1, found: 0, unverified: 2 })
    expect(findingOf(result)).toMatchObject({
      reason: "2 linked pages of other sites gave no clear response",
      status: "not_assessed"
    })
  })

  it("are requested with HEAD, then with GET if HEAD is refused or fails, and followed through all redirects", function* () {
    const { asked, result } = yield* crawled(
      { "/": ["https://a.test/no-head", "https://b.test/moved", "https://c.test/flaky", "https://d.test/app"] },
      ({ host, pathname }, method, asked) => {
        if (pathname === "/robots.txt") return missing
        if (pathname === "/no-head") return method === "HEAD" ? { status: 405 } : fine
        if (pathname === "/moved") return { status: 301, headers: { location: "https://e.test/gone" } }
        if (pathname === "/flaky") return asked < 2 ? { status: 500, headers: {} } : fine
        if (pathname === "/app") return { status: 302, headers: { location: "shop-app://open" } }
        return host === "e.test" ? missing : fine
      }
    )
    expect(result.summary.external_links).toMatchObject({ checked: 4, found: 1, unverified: 0 })
    expect(findingOf(result).detail).toBe('"to https://b.test/moved" → https://b.test/moved (404)')
    expect(asked.filter((line) => line.includes("e.test"))).toEqual([
      "GET https://e.test/robots.txt",
      "HEAD https://e.test/gone",
      "GET https://e.test/gone",
      "GET https://e.test/gone"
    ])
  })

  it("are requested only if the robots.txt of their own host allows it", function* () {
    const { asked, result } = yield* crawled(
      { "/": ["https://a.test/open", "https://a.test/closed", "https://down.test/page", "https://b.test/to-closed"] },
      ({ host, pathname }) => {
        if (pathname === "/to-closed") return { status: 301, headers: { location: "https://a.test/closed" } }
        if (pathname !== "/robots.txt") return missing
        if (host === "down.test") return { status: 500, headers: {} }
        return { body: "User-agent: *\nDisallow:\n\nUser-agent: FindableBot\nDisallow: /closed" }
      }
    )
    expect(asked.filter((line) => line.endsWith("/closed") || line.endsWith("/page"))).toEqual([])
    expect(asked.filter((line) => line.endsWith("a.test/robots.txt"))).toHaveLength(2)
    expect(result.summary.external_links).toMatchObject({ state: "complete", checked: 1, found: 1, unverified: 3 })
  })

  it("receive neither the headers nor the cookies of the site or of one another", function* () {
    const options = { checkExternalLinks: true, headers: { Authorization: "Basic c2VjcmV0", "X-Preview": "42" } }
    const { sent } = yield* crawled(
      { "/": ["https://a.test/one", "https://sub.site.test/two", "https://b.test/back"] },
      ({ pathname }) =>
        pathname === "/back"
          ? { status: 302, headers: { location: "https://a.test/three", "set-cookie": "b=1" } }
          : { headers: { "set-cookie": "a=1; Domain=test" } },
      options
    )
    expect(sent.length).toBeGreaterThan(5)
    for (const { authorization, cookies, headers } of sent)
      expect([authorization, cookies, headers?.["X-Preview"]]).toEqual([undefined, undefined, undefined])
  })

  it("are two hundred at most, with those of most pages first, one at a time per host, several hosts in parallel", () =>
    Effect.suspend(() => {
      const clock = virtualClock()
      const busy = new Map<string, number>()
      const most = { ofHost: 0, hosts: 0 }
      const links = (from: number, count: number) =>
        Array.from({ length: count }, (_, index) => `https://h${(from + index) % 20}.test/p${from + index}`)
      const site = memoryOutbound((url, _, asked) => {
        if (url.host === "site.test") {
          const own = { "/": ["/b", ...links(0, 150)], "/b": links(140, 150) }[url.pathname]
          return own === undefined ? missing : { body: html({ title: url.pathname, links: own }) }
        }
        const now = clock.unsafeCurrentTimeMillis()
        if ((busy.get(url.host) ?? 0) > now) most.ofHost += 1
        busy.set(url.host, now + 100)
        most.hosts = Math.max(most.hosts, [...busy.values()].filter((until) => until > now).length)
        if (url.pathname.startsWith("/p")) asks.push(url.pathname)
        return { ...(url.pathname === "/robots.txt" && asked === 0 ? missing : fine), delay: 100 }
      })
      const asks: Array<string> = []
      return report("https://site.test/", { checkExternalLinks: true }).pipe(
        Effect.tap((result) =>
          Effect.sync(() => {
            expect(most.ofHost).toBe(0)
            expect(most.hosts).toBe(8)
            expect(asks).toHaveLength(200)
            for (const shared of links(140, 10)) expect(asks).toContain(new URL(shared).pathname)
            expect(result.summary.external_links).toMatchObject({ state: "partial", checked: 200 })
            expect(findingOf(result)).toMatchObject({
              reason: "the crawl had no time for 90 linked pages of other sites",
              status: "not_assessed"
            })
          })
        ),
        Effect.provide(site),
        Effect.withClock(clock)
      )
    }))

  it("without time left for them make their own summary partial, not the crawl", function* () {
    const links = Array.from({ length: 20 }, (_, index) => `https://slow.test/${index}`)
    const { result } = yield* crawled({ "/": links }, () => ({ ...fine, delay: 300 }), {
      checkExternalLinks: true,
      deadline: "3 seconds"
    }).pipe(Effect.withClock(virtualClock()))
    expect(result.summary).toMatchObject({ complete: true, termination: "complete" })
    expect(result.summary.external_links).toMatchObject({ state: "partial", found: 0 })
    expect(result.summary.external_links?.checked ?? 0).toBeGreaterThan(2)
    expect(findingOf(result).reason).toMatch(/^the crawl had no time for 1\d linked pages of other sites$/)
  })

  it("are left out if their host asks for a pause longer than the crawl, and other hosts are requested", function* () {
    const { result } = yield* crawled(
      { "/": ["https://tired.test/1", "https://tired.test/2", "https://a.test/404"] },
      ({ host, pathname }) => {
        if (pathname === "/robots.txt") return missing
        return host === "tired.test" ? { status: 429, headers: { "retry-after": "3600" } } : missing
      }
    )
    expect(result.summary.external_links).toMatchObject({ state: "partial", checked: 1, found: 1, unverified: 1 })
    expect(result.summary.termination).toBe("complete")
  })

  it("do not include frames, other schemes and URLs of the site's other host name", function* () {
    const site = memoryOutbound(({ host, pathname }) =>
      host === "site.test" && pathname === "/"
        ? {
            body: html({
              body: '<iframe src="https://frame.test/"></iframe><a href="mailto:a@b.test">m</a><a href="http://www.site.test/x">w</a>'
            })
          }
        : missing
    )
    const result = yield* Effect.provide(report("https://site.test/", { checkExternalLinks: true }), site)
    expect(result.summary.external_links).toMatchObject({ state: "complete", checked: 0, unverified: 0 })
  })

  it("have a section in the reports for people when the option is on", function* () {
    const pages = { "/": ["https://a.test/404", "https://b.test/403"] }
    const { result } = yield* crawled(pages, byStatus)
    const { result: without } = yield* crawled(pages, byStatus, {})
    const text = renderReport(result, { color: false })
    expect(text).toContain("External links  1 found, 1 checked, 1 unverified (complete)")
    expect(text).toContain("404  https://a.test/404")
    expect(yield* renderHtml(result)).toContain(
      "<h2>External links</h2><p>complete: 1 found, 1 checked, 1 unverified.</p>"
    )
    expect(renderReport(without, { color: false })).not.toContain("External links")
    expect(yield* renderHtml(without)).not.toContain("<h2>External links")
  })
})
