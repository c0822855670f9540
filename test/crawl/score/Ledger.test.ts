import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { ScoreFactor } from "../../../src/crawl/report/SiteScore.ts"
import { it } from "../../harness.ts"
import { notFound, origin, page, redirect, robots, sitemap, soundSite } from "../rules/SoundSite.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"

const crawled = (
  changes: Readonly<Record<string, Reply>>,
  unlinked: ReadonlyArray<string> = [],
  own: Parameters<typeof report>[1] = {}
) => Effect.provide(report(`${origin}/`, own), memoryOutbound(soundSite(changes, unlinked)))

/** The deductions of a crawl by check, in points. */
const lostBy = (
  changes: Readonly<Record<string, Reply>>,
  unlinked: ReadonlyArray<string> = [],
  own: Parameters<typeof report>[1] = {}
) =>
  Effect.map(crawled(changes, unlinked, own), ({ score }) =>
    Object.fromEntries(score.breakdown.lost.map(({ points, rule }) => [rule, Math.round(points * 100) / 100]))
  )

const links = ["/a", "/b", "/c"]
const listing = (...more: ReadonlyArray<string>) => sitemap(["/", ...links, ...more])
const linking = page("/a", { links: ["/", "/gone"] })

describe("a broken target is deducted once:", () => {
  it("a linked page with 4xx as a broken link, even if the sitemap lists it", function* () {
    const changes = { "/a": linking, "/gone": notFound }
    expect(yield* lostBy(changes, ["/gone"])).toEqual({ broken_link: 12.5 })
    expect(yield* lostBy({ ...changes, "/sitemap.xml": listing("/gone") }, ["/gone"])).toEqual({ broken_link: 12.5 })
  })

  it("a page behind a redirect as a broken link and as a redirect to an error", function* () {
    const changes = { "/a": page("/a", { links: ["/", "/r"] }), "/r": redirect("/gone"), "/gone": notFound }
    const lost = yield* lostBy(changes, ["/r", "/gone"])
    expect(Object.keys(lost).toSorted()).toEqual(["broken_link", "redirect_to_error"])
  })

  it("a linked page with 5xx as a page of the site and as a broken link", function* () {
    const lost = yield* lostBy({ "/a": page("/a", { links: ["/", "/oh"] }), "/oh": { status: 500 } }, ["/oh"])
    expect(lost).toEqual({ page_server_error: 20, broken_link: 10 })
  })

  it("a page without link checks as a page of the site", function* () {
    const lost = yield* lostBy({ "/a": linking, "/gone": notFound }, ["/gone"], { checkDeadLinks: false })
    expect(lost).toEqual({ page_client_error: 20 })
  })

  it("a page in the sitemap only as an error of the sitemap, for any error status", function* () {
    for (const gone of [notFound, { status: 500 }])
      for (const checkDeadLinks of [true, false]) {
        const changes = { "/sitemap.xml": listing("/gone"), "/gone": gone }
        expect(yield* lostBy(changes, ["/gone"], { checkDeadLinks })).toEqual({ sitemap_lists_errors: 3.75 })
      }
  })

  it("the start page is a page of the site with any response", function* () {
    const { findings, score } = yield* crawled({ "/": notFound })
    expect(score).toMatchObject({ has_data: true, breakdown: { factor: { name: "start_unavailable" } } })
    expect(findings.find(({ rule }) => rule === "start_unavailable")?.status).toBe("fail")
  })
})

describe("a factor is an issue with the same name, and the only deduction for its cause:", () => {
  const noindex = (path: string) => page(path, { head: "<meta name=robots content=noindex>", links })
  const hidden = (...paths: ReadonlyArray<string>) => Object.fromEntries(paths.map((path) => [path, noindex(path)]))
  const shell: Reply = { body: "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>" }
  const sites: ReadonlyArray<readonly [factor: ScoreFactor, share: number, changes: Readonly<Record<string, Reply>>]> =
    [
      ["start_blocked", 0.9, { "/robots.txt": robots("Disallow: /$") }],
      ["no_eligible_page", 0.9, hidden("/", "/a", "/b", "/c")],
      ["start_unavailable", 0.7, hidden("/")],
      ["mostly_hidden", 0.55, hidden("/a", "/b", "/c")],
      ["needs_javascript", 0.55, { "/": shell, "/a": shell, "/b": shell, "/c": shell }]
    ]

  for (const [name, taken, changes] of sites)
    it(name, function* () {
      const { findings, score } = yield* crawled(changes)
      const { factor, lost } = score.score_version === 1 ? { factor: null, lost: [] } : score.breakdown
      expect(factor?.name).toBe(name)
      expect(findings.find(({ rule }) => rule === name)).toMatchObject({ status: "fail", severity: "critical" })
      const own = lost.find(({ rule }) => rule === name)?.points ?? 0
      const others = lost.reduce((sum, { points, rule }) => (rule === name ? sum : sum + points), 0)
      expect(own).toBeCloseTo((100 - others) * taken, 6)
      expect(lost.map(({ rule }) => rule)).not.toContain("start_hidden")
    })

  it("no factor counts on a site that is half hidden", function* () {
    const { findings, score } = yield* crawled(hidden("/a", "/b"))
    const failing = findings.filter(({ status }) => status === "fail").map(({ rule }) => rule)
    expect(failing).toEqual(["noindex_page", "sitemap_lists_noindex"])
    expect(score.breakdown).toMatchObject({ factor: null })
  })
})

it("an issue with one shared entry and an issue with an entry per page have equal score impact", function* () {
  const names = Array.from({ length: 6 }, (_, index) => `/p${index}`)
  const lost = (count: number) =>
    lostBy({
      "/sitemap.xml": listing(...names),
      ...Object.fromEntries(
        names.map((path, index) => [path, page(path, { body: index < count ? '<img src="/x.png">' : "" })])
      )
    })
  // Three of ten pages are at the limit, and four beyond it.
  expect(yield* lost(3)).toEqual({ image_alt_missing: 4.5 })
  expect(yield* lost(4)).toEqual({ image_alt_missing: 6 })
  expect(yield* lost(6)).toEqual({ image_alt_missing: 7.5 })
})

it("a link without a name and the image in it are deducted once", function* () {
  const body = '<a href="/b"><img src="/x.png"></a>'
  expect(yield* lostBy({ "/a": page("/a", { body }) })).toEqual({ image_alt_missing: 3.75 })
  const both = yield* lostBy({ "/a": page("/a", { body: `${body}<a href="/c"></a>` }) })
  expect(Object.keys(both)).toEqual(["image_alt_missing", "link_text_missing"])
})
