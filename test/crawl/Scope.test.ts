import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import type { CrawlOptions } from "../../src/crawl/Crawl.ts"
import { diffOf } from "../../src/crawl/diff/Diff.ts"
import { AddressGlob, scopeOf } from "../../src/crawl/visit/Visitor.ts"
import { it } from "../harness.ts"
import { report } from "./site/Crawled.ts"
import { html } from "./site/Html.ts"
import { memoryOutbound, type ScriptedSite } from "./site/MemoryOutbound.ts"

const origin = "https://site.test"

const sitemap = (paths: ReadonlyArray<string>): string =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths.map((path) => `<url><loc>${origin}${path}</loc></url>`).join("")}</urlset>`

const links: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/": ["/docs/", "/admin/", "/old", "/docs/a?print=1", "/café/menu", "/jump"],
  "/docs/": ["/", "/docs/a", "/docs/a?print=1"],
  "/docs/a": ["/", "/admin/users"],
  "/docs/a?print=1": ["/"],
  "/admin/": ["/", "/admin/users", "/secret"],
  "/admin/users": ["/", "/gone"],
  "/secret": ["/"],
  "/caf%C3%A9/menu": ["/"],
  "/shop": ["/"]
}

const site: ScriptedSite = ({ pathname, search }) => {
  if (pathname === "/robots.txt") return { headers: {}, body: `Sitemap: ${origin}/sitemap.xml` }
  if (pathname === "/sitemap.xml")
    return { headers: { "content-type": "text/xml" }, body: sitemap(["/", "/admin/", "/secret", "/shop"]) }
  if (pathname === "/old") return { status: 301, headers: { location: "/admin/" } }
  if (pathname === "/jump") return { status: 302, headers: { location: "/admin/login", "set-cookie": "seen=1" } }
  if (pathname === "/logo.png" || pathname === "/admin/logo.png") return { headers: { "content-type": "image/png" } }
  const own = links[pathname + search]
  const body =
    '<img src="/logo.png" alt="Logo" width="1" height="1"><img src="/admin/logo.png" alt="" width="1" height="1">'
  return own === undefined
    ? { status: 404, headers: {} }
    : { body: html({ title: `${pathname}${search}`, links: own, body }) }
}

/** The report on the site, and every requested URL of it. */
const asked = (options: Partial<CrawlOptions>, url = `${origin}/`) =>
  Effect.gen(function* () {
    const urls: Array<string> = []
    const outbound = memoryOutbound(site, ({ pathname, search }) => urls.push(pathname + search))
    const result = yield* Effect.provide(report(url, options), outbound)
    return { result, urls: new Set(urls) }
  })

const probe = "/findable-probe-"

const pagesOf = (urls: ReadonlySet<string>) => [...urls].filter((url) => Object.hasOwn(links, url)).sort()

describe("exclude", () => {
  it("prevents requests to matching URLs from links, redirects and sitemaps", function* () {
    const { result, urls } = yield* asked({ exclude: ["/admin/*", "*?print=*", "/café/*"] })
    expect(pagesOf(urls)).toEqual(["/", "/docs/", "/docs/a", "/secret", "/shop"])
    expect([...urls].filter((url) => url.startsWith("/admin/"))).toEqual([])
    expect(urls.has("/logo.png")).toBe(true)
    expect(result.summary).toMatchObject({
      complete: true,
      termination: "complete",
      dead_links: { state: "complete", found: 0, unverified: 0 },
      limits: { exclude: ["/admin/*", "*?print=*", "/café/*"] }
    })
    expect(result.summary.limits).not.toHaveProperty("include")
    expect(result.summary.inventory.reasons).toContainEqual({
      reason: "excluded",
      count: 5,
      example_url: `${origin}/admin/`
    })
    expect(
      result.summary.limits.traps.map(({ count, pattern, reason, unread }) => [reason, pattern, count, unread])
    ).toEqual([
      ["excluded", "/admin/*", 3, 3],
      ["excluded", "*?print=*", 1, 1],
      ["excluded", "/café/*", 1, 1]
    ])
    expect(result.pages.find(({ url }) => url === `${origin}/admin/`)).toMatchObject({
      fetch_state: "not_fetched",
      health_state: "unchecked",
      indexability_state: "unknown",
      evidence: { attempts: [], note: 'not requested: excluded by "/admin/*"' }
    })
    expect(result.score).toMatchObject({ coverage: 1, provisional: false })
  })

  it("lowers no score, and leaves checks unassessed that need the links of excluded pages", function* () {
    const { result } = yield* asked({ exclude: ["/admin/*"] })
    const statusOf = (rule: string) => result.findings.find((finding) => finding.rule === rule)?.status
    // Only a page below /admin/ links to /secret, which the sitemap lists; nothing links to /shop.
    for (const rule of ["orphan_page", "unreachable_page"])
      expect([rule, statusOf(rule)]).toEqual([rule, "not_assessed"])
    for (const rule of ["broken_link", "title_duplicate", "sitemap_lists_errors"])
      expect([rule, statusOf(rule)]).toEqual([rule, "pass"])
    const { result: whole } = yield* asked({})
    expect(whole.findings.find(({ rule }) => rule === "orphan_page")?.pages).toEqual([`${origin}/shop`])
    expect(whole.findings.find(({ rule }) => rule === "broken_link")?.status).toBe("fail")
  })

  it("never excludes the start page, and matches whole paths only", function* () {
    const all = yield* asked({ exclude: ["*"] })
    expect([...all.urls]).toEqual(["/robots.txt", "/"])
    expect(all.result.summary).toMatchObject({ complete: true, pages: { fetched: 1 } })
    const none = yield* asked({ exclude: ["/admin", "/doc*s", "/docs/A"] })
    expect(pagesOf(none.urls)).toEqual(Object.keys(links).sort())
    const probed = yield* asked({ exclude: [`${probe}*`] })
    expect([...probed.urls].filter((url) => url.startsWith(probe))).toEqual([])
  })

  it("leads to the same report for the same site and options", function* () {
    const options = { exclude: ["*?print=*"], include: ["/docs/*", "/admin/*"], now: 0 }
    const [one, other] = [yield* asked(options), yield* asked(options)]
    const still = ({ pages, summary, ...rest }: typeof one.result) => {
      const { crawl: _, ...counts } = summary
      return { ...rest, counts, pages: pages.map((page) => ({ ...page, response_ms: null })) }
    }
    expect(still(one.result)).toEqual(still(other.result))
  })
})

describe("include", () => {
  it("limits the crawl to the start page and URLs that match a glob; exclude takes precedence", function* () {
    const { result, urls } = yield* asked({ exclude: ["*?print=*"], include: ["/docs/*", "/admin/users"] })
    expect(pagesOf(urls)).toEqual(["/", "/admin/users", "/docs/", "/docs/a"])
    expect(urls.has("/sitemap.xml")).toBe(true)
    expect([...urls].some((url) => url.startsWith(probe))).toBe(true)
    expect(urls.has("/logo.png")).toBe(true)
    expect(result.pages.find(({ url }) => url === `${origin}/shop`)).toMatchObject({
      health_reason: "excluded",
      evidence: { note: 'not requested: not included by "/docs/* /admin/users"' }
    })
    const traps = result.summary.limits.traps.map(({ pattern, reason }) => [reason, pattern])
    expect(traps.toSorted()).toEqual([
      ["excluded", "*?print=*"],
      ["not_included", "/docs/* /admin/users"]
    ])
  })
})

describe("a comparison of two reports", () => {
  it("reports nothing as new, fixed or removed that only one of the crawls excluded", function* () {
    const whole = (yield* asked({ now: 0 })).result
    const part = (yield* asked({ exclude: ["/admin/*"], now: 0 })).result
    const [less, more] = [diffOf(whole, part), diffOf(part, whole)]
    for (const { dead_links, findings, pages } of [less, more]) {
      expect([pages.added, pages.removed]).toEqual([[], []])
      expect([findings.new, findings.fixed, dead_links.new, dead_links.fixed]).toEqual([[], [], [], []])
    }
    expect(new Set(less.dead_links.not_comparable.map(({ cause }) => cause))).toEqual(new Set(["options_differ"]))
    const same = diffOf(part, (yield* asked({ exclude: ["/admin/*"], now: 0 })).result)
    expect([same.findings.not_comparable, same.findings.new, same.findings.fixed]).toEqual([[], [], []])
  })
})

const matches = (glob: string, address: string) =>
  scopeOf({ exclude: [glob] }).excludedBy(new URL(address, "https://site.test")) === glob

describe("a glob", () => {
  test("matches path and query as a whole, with * for any characters", () => {
    for (const [glob, address] of [
      ["/admin/*", "/admin/"],
      ["/admin/*", "/admin/users/7?tab=2"],
      ["*.pdf", "/a/b.pdf"],
      ["*?sort=*", "/list?sort=up"],
      ["*sort=*", "/list?page=2&sort=up"],
      ["/a*b*c", "/a1b2b3c"],
      ["/café/*", "/caf%c3%a9/x"],
      ["/caf%c3%a9/*", "/café/x"],
      ["/%7Euser/*", "/~user/x"],
      ["/price$", "/price$"],
      ["/a", "/a#part"]
    ] as const)
      expect([glob, address, matches(glob, address)]).toEqual([glob, address, true])
    for (const [glob, address] of [
      ["/admin/*", "/admin"],
      ["/admin", "/admin/"],
      ["/admin", "/admin?x=1"],
      ["*.pdf", "/a.pdf?x=1"],
      ["/a.b", "/aXb"],
      ["/A", "/a"],
      ["/a?b", "/axb"]
    ] as const)
      expect([glob, address, matches(glob, address)]).toEqual([glob, address, false])
  })

  test("is refused if it can match no path", () => {
    const isGlob = Schema.is(AddressGlob)
    for (const glob of [
      "",
      "admin/*",
      "https://site.test/admin/*",
      "/a b",
      "/a#b",
      "/a\u0000",
      `/${"a".repeat(2048)}`,
      "?x=1"
    ])
      expect([glob, isGlob(glob)]).toEqual([glob, false])
    for (const glob of ["/", "*", "/*", "*?x=*", "/\ud800"]) expect([glob, isGlob(glob)]).toEqual([glob, true])
    expect(matches("/\ud800", "/")).toBe(false)
  })

  test("made from a URL by replacing a part with a star matches this URL", () => {
    const part = fc.stringMatching(/^[a-z0-9.-]{1,5}$/)
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 5 }),
        part,
        fc.nat(),
        fc.nat(),
        (segments, value, from, to) => {
          const { pathname, search } = new URL(`/${segments.join("/")}?q=${value}`, "https://site.test")
          const whole = pathname + search
          const [start = 0, end = 0] = [from % whole.length, to % whole.length].sort((a, b) => a - b)
          return matches(`${start === 0 ? "" : whole.slice(0, start)}*${whole.slice(end)}`, whole)
        }
      )
    )
  })

  test("takes at most URL length times glob length steps, with any number of stars", () => {
    expect(matches(`/${"*a".repeat(1000)}b`, `/${"a".repeat(2000)}`)).toBe(false)
  })
})

test("exclude takes precedence over include", () => {
  const { leftOut } = scopeOf({ exclude: ["*.pdf"], include: ["/docs/*"] })
  const reasonOf = (path: string) => leftOut(new URL(path, "https://site.test"))?.reason ?? null
  expect(["/docs/a", "/docs/a.pdf", "/b.pdf", "/b"].map(reasonOf)).toEqual([
    null,
    "excluded",
    "excluded",
    "not_included"
  ])
})
