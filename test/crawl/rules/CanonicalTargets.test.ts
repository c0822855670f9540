import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlOptions, CrawlResult } from "../../../src/crawl/Crawl.ts"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"
import { notFound, origin, page, redirect, soundSite } from "./SoundSite.ts"

const crawled = (
  changes: Readonly<Record<string, Reply>>,
  unlinked: ReadonlyArray<string> = [],
  options: Partial<CrawlOptions> = {}
) => Effect.provide(report(`${origin}/`, options), memoryOutbound(soundSite(changes, unlinked)))

/** The canonical and noindex checks that name a page. */
const rulesOf = ({ findings }: CrawlResult, path: string) =>
  findings.flatMap(({ pages, rule, status }) =>
    status === "fail" && /canonical|noindex_with/.test(rule) && pages.includes(origin + path) ? [rule] : []
  )
const entry = ({ pages }: CrawlResult, path: string) => pages.find(({ url }) => url === origin + path)
const finding = ({ findings }: CrawlResult, rule: string) => findings.find((each) => each.rule === rule)

const naming = (href: string): Reply => ({
  body: html({ title: `Copy of ${href}`, head: `<link rel="canonical" href="${href}">`, links: ["/"] })
})
const inHeader = (href: string): Reply => ({
  headers: { "content-type": "text/html; charset=utf-8", link: `<${href}>; rel="canonical"` },
  body: html({ title: `Copy of ${href}`, links: ["/"] })
})

const outOfReach = [
  "http://localhost:4000/",
  "HTTP://LOCALHOST/x",
  "https://app.localhost/x",
  "http://127.0.0.1:8080/x",
  "http://127.1/x",
  "http://[::1]:3000/x",
  "http://[::ffff:10.0.0.1]/x",
  "http://0.0.0.0:4000/x",
  "https://10.0.0.5/x",
  "http://172.16.3.4/x",
  "http://192.168.1.10:8080/x",
  "http://169.254.169.254/x",
  "https://[fd00::1]/x",
  "http://intranet/x",
  "http://staging.internal/x",
  "http://nas.local./x",
  "http://site.invalid/x"
]

describe("an unreachable canonical is ignored, and is one issue", () => {
  for (const href of outOfReach) {
    it(href, function* () {
      for (const reply of [naming(href), inHeader(href)]) {
        const result = yield* crawled({ "/x": reply })
        expect(entry(result, "/x")).toMatchObject({ health_reason: "ok", indexability_state: "indexable" })
        expect(rulesOf(result, "/x")).toEqual(["canonical_unreachable"])
        expect(result.summary.inventory).toMatchObject({ eligible: 5, excluded: 0 })
      }
    })
  }

  it("on the start page too, which it does not hide", function* () {
    const home = html({ head: '<link rel="canonical" href="http://localhost:4000/">', links: ["/a", "/b", "/c"] })
    const result = yield* crawled({ "/": { body: home } })
    expect(entry(result, "/")).toMatchObject({ health_state: "eligible" })
    for (const rule of ["start_hidden", "start_unavailable"]) expect(finding(result, rule)?.status).toBe("pass")
    expect(result.score.breakdown).toMatchObject({ factor: null })
  })

  for (const [name, made] of [
    ["in the head", naming],
    ["in a header", inHeader]
  ] as const) {
    it(`with one cause when the pages of a site name one host ${name}, with any paths`, function* () {
      const paths = ["/a", "/b", "/c"]
      const changes = Object.fromEntries(paths.map((path) => [path, made(`http://localhost:4000${path}`)]))
      const result = yield* crawled(changes)
      const { evidence, pages } = finding(result, "canonical_unreachable") ?? {}
      expect(pages).toEqual(paths.map((path) => origin + path))
      expect(evidence?.items).toMatchObject([{ shared_by: 3, value: "http://localhost:4000" }])
      // A warning of the whole site takes 7.5 of a hundred points, less than three of four pages would.
      expect(result.score.breakdown.lost.find(({ rule }) => rule === "canonical_unreachable")?.points).toBeCloseTo(7.5)
      expect(finding(result, "mostly_hidden")?.status).toBe("pass")
    })
  }

  it("a canonical whose host may exist, or of a private site, is not unreachable", function* () {
    for (const href of [
      "https://other.test/x",
      "http://8.8.8.8/x",
      "https://local.example/x",
      "http://localhost.test/x"
    ]) {
      const result = yield* crawled({ "/x": naming(href) })
      expect(rulesOf(result, "/x")).toEqual(["canonical_cross_site"])
      expect(entry(result, "/x")?.health_reason).toBe("canonical_elsewhere")
    }
    const home = "http://127.0.0.1:4000/"
    const own = yield* Effect.provide(
      report(home),
      memoryOutbound(({ pathname }) =>
        pathname === "/" ? { body: html({ head: `<link rel="canonical" href="${home}">` }) } : { status: 404 }
      )
    )
    expect(finding(own, "canonical_unreachable")?.status).toBe("pass")
  })

  it("a canonical with another scheme is only invalid", function* () {
    for (const href of ["file:///srv/site/x.html", "about:blank", "javascript:void(0)", "ftp://site.test/x"]) {
      const result = yield* crawled({ "/x": naming(href) })
      expect(rulesOf(result, "/x")).toEqual(["canonical_invalid"])
      expect(entry(result, "/x")?.health_reason).toBe("ok")
    }
  })
})

describe("a canonical to a URL that is no page is ignored", () => {
  const soft: Reply = { body: "<!doctype html><title>Page not found</title><h1>Not found</h1>" }
  const ends: ReadonlyArray<readonly [name: string, rule: string, answers: Readonly<Record<string, Reply>>]> = [
    ["404", "canonical_to_error", { "/end": notFound }],
    ["410", "canonical_to_error", { "/end": { status: 410 } }],
    ["403", "canonical_to_error", { "/end": { status: 403 } }],
    ["500", "canonical_to_error", { "/end": { status: 500 } }],
    ["a soft 404", "canonical_to_error", { "/end": soft }],
    ["a redirect to 404", "canonical_to_error", { "/end": redirect("/gone"), "/gone": notFound }],
    ["a redirect to nowhere", "canonical_to_redirect", { "/end": { status: 301, headers: {} } }],
    ["a redirect to localhost", "canonical_to_redirect", { "/end": redirect("http://localhost/x") }],
    ["a redirect to a local file", "canonical_to_redirect", { "/end": redirect("file:///x") }],
    ["circular redirects", "canonical_to_redirect", { "/end": redirect("/again"), "/again": redirect("/end") }],
    ["a timeout", "canonical_unreachable", { "/end": { fault: "timeout" } }],
    ["a broken connection", "canonical_unreachable", { "/end": { fault: "reset" } }]
  ]
  for (const [name, rule, answers] of ends) {
    it(name, function* () {
      const result = yield* crawled({ "/x": page("/x", { canonical: "/end" }), ...answers }, Object.keys(answers))
      expect(entry(result, "/x")).toMatchObject({ health_reason: "ok", indexability_state: "indexable" })
      expect(rulesOf(result, "/x")).toEqual([rule])
    })
  }

  it("a host of the site that is down", function* () {
    const site = soundSite({ "/x": naming("https://www.site.test/x"), "/y": naming("https://www.site.test/y") })
    const result = yield* Effect.provide(
      report(`${origin}/`),
      memoryOutbound((url) => (url.hostname === "www.site.test" ? { fault: "dns" } : site(url)))
    )
    for (const path of ["/x", "/y"]) {
      expect(entry(result, path)?.health_reason).toBe("ok")
      expect(rulesOf(result, path)).toEqual(["canonical_unreachable"])
    }
    expect(finding(result, "canonical_unreachable")?.evidence.items[0]?.detail).toContain(
      "www.site.test does not respond"
    )
  })

  it("a canonical to a page with such a canonical hides the page, and is no chain", function* () {
    const result = yield* crawled(
      { "/x": page("/x", { canonical: "/y" }), "/y": page("/y", { canonical: "/gone" }), "/gone": notFound },
      ["/gone"]
    )
    expect(entry(result, "/x")?.health_reason).toBe("canonical_elsewhere")
    expect(rulesOf(result, "/x")).toEqual([])
    expect(rulesOf(result, "/y")).toEqual(["canonical_to_error"])
  })
})

describe("a canonical hides a page", () => {
  const noindex = '<meta name="robots" content="noindex">'
  const ends: ReadonlyArray<
    readonly [name: string, rules: ReadonlyArray<string>, answers: Readonly<Record<string, Reply>>]
  > = [
    ["if it leads to another page", [], { "/end": page("/end") }],
    ["if it leads to a page through a redirect", ["canonical_to_redirect"], { "/end": redirect("/a") }],
    ["if it leads to a noindex page", ["canonical_to_hidden"], { "/end": page("/end", { head: noindex }) }],
    ["if nothing is known about its target", [], { "/end": { status: 429 } }],
    ["if it leads to a file", [], { "/end": { headers: { "content-type": "application/pdf" }, body: "%PDF" } }]
  ]
  for (const [name, rules, answers] of ends) {
    it(name, function* () {
      const result = yield* crawled({ "/x": page("/x", { canonical: "/end" }), ...answers }, ["/end"])
      expect(entry(result, "/x")?.health_reason).toBe("canonical_elsewhere")
      expect(rulesOf(result, "/x")).toEqual([...rules])
    })
  }
})

describe("one canonical is one issue only", () => {
  const noindex = '<meta name="robots" content="noindex, follow">'

  it("on noindex search results that name a noindex page", function* () {
    const result = yield* crawled({
      "/search": page("/search", { head: noindex }),
      "/search?q=tea": page("/search?q=tea", { head: noindex, canonical: "/search" }),
      "/results?q=tea": page("/results?q=tea", { head: noindex, canonical: "/private/y" })
    })
    expect(rulesOf(result, "/search?q=tea")).toEqual(["noindex_with_canonical"])
    expect(rulesOf(result, "/results?q=tea")).toEqual(["noindex_with_canonical"])
  })

  const list = (canonicals: ReadonlyArray<string>, shape: (number: number) => string) =>
    Object.fromEntries(
      canonicals.map((canonical, index) => {
        const others = canonicals.map((_, at) => shape(at + 1)).filter((path) => path !== shape(index + 1))
        return [shape(index + 1), page(shape(index + 1), { canonical, links: ["/", ...others] })]
      })
    )
  const inPath = (number: number) => (number === 1 ? "/blog/" : `/blog/page/${number}/`)
  const inQuery = (number: number) => (number === 1 ? "/shop" : `/shop?page=${number}`)

  for (const shape of [inPath, inQuery]) {
    it(`on pages of a sequence that name the page before them: ${shape(2)}`, function* () {
      const result = yield* crawled(list([shape(1), shape(1), shape(2), shape(3)], shape))
      for (const number of [2, 3, 4]) expect(rulesOf(result, shape(number))).toEqual(["canonical_to_first_page"])
      expect(finding(result, "canonical_to_first_page")?.evidence.items.map(({ detail }) => detail)).toEqual([
        `${origin}${shape(1)} (page 1 of the list)`,
        `${origin}${shape(2)} (another page of the list)`,
        `${origin}${shape(3)} (another page of the list)`
      ])
    })

    it(`on a page of a sequence that names another self-canonical page: ${shape(2)}`, function* () {
      const result = yield* crawled(list([shape(1), shape(2), shape(2)], shape))
      expect(rulesOf(result, shape(3))).toEqual(["canonical_to_first_page"])
    })
  }

  it("in a chain outside of a sequence", function* () {
    const result = yield* crawled({
      "/x": page("/x", { canonical: "/y" }),
      "/y": page("/y", { canonical: "/a" }),
      "/blog/": page("/blog/", { canonical: "/a", links: ["/", "/blog/page/2/"] }),
      "/blog/page/2/": page("/blog/page/2/", { canonical: "/y" })
    })
    for (const path of ["/x", "/blog/page/2/"]) expect(rulesOf(result, path)).toEqual(["canonical_chain"])
  })
})
