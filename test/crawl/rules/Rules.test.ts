import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import type { CrawlOptions } from "../../../src/crawl/Crawl.ts"
import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"
import { cases } from "./Cases.ts"
import { origin, page, redirect, sitemap, soundSite } from "./SoundSite.ts"

const crawled = (site: ReturnType<typeof soundSite>, own: Partial<CrawlOptions> = {}) =>
  Effect.provide(report(`${origin}/`, own), memoryOutbound(site))

it("a sound site has no issues and a score of 100", function* () {
  const { findings, score, summary } = yield* crawled(soundSite({}))
  expect(findings.filter(({ status }) => status === "fail")).toEqual([])
  expect(score).toMatchObject({ aggregate_score: 100, range: { low: 100, high: 100 }, coverage: 1 })
  expect(summary).toMatchObject({ complete: true, inventory: { eligible: 4, excluded: 0 } })
})

describe("each check names exactly the pages with its defect", () => {
  for (const { changes, options, pages, rule, unlinked } of cases) {
    it(rule, function* () {
      const { findings } = yield* crawled(soundSite(changes, unlinked), options)
      const found = findings.find((finding) => finding.rule === rule)
      const expected = pages.map((path) => (path.startsWith("/") ? `${origin}${path}` : path))
      expect(found?.pages).toEqual(expected)
      expect(found).toMatchObject({ status: "fail", count: pages.length })
    })
  }
})

test("every check of the catalogue has a planted defect and a unique id", () => {
  const ids = catalogue.map(({ id }) => id)
  expect(ids.length).toBeGreaterThanOrEqual(40)
  expect(new Set(ids).size).toBe(ids.length)
  // What takes a browser is planted where there is one.
  const sent = catalogue.filter(({ onlyRendered }) => onlyRendered !== true).map(({ id }) => id)
  expect(sent.filter((id) => !cases.some(({ rule }) => rule === id))).toEqual([])
})

test("every check says in whole sentences what it means, how to fix it and where it comes from", () => {
  for (const { fix, id, means, source } of catalogue) {
    expect(id).toMatch(/^[a-z][a-z0-9_]+$/)
    expect(means).toMatch(/^\p{L}.{20,}\.$/su)
    expect(fix).toMatch(/^\p{L}.{7,}\.$/su)
    expect(source.length).toBeGreaterThan(7)
  }
})

it("every check is reported, in the order of the catalogue, passed or failed", function* () {
  const { findings } = yield* crawled(soundSite({}))
  expect(findings.map(({ rule }) => rule)).toEqual(catalogue.map(({ id }) => id))
})

it("checks of the whole site are not assessed on a part of it", function* () {
  const { findings } = yield* Effect.provide(report(`${origin}/`, { maxPages: 2 }), memoryOutbound(soundSite({})))
  const open = ["orphan_page", "title_duplicate", "content_duplicate", "broken_link", "page_client_error"]
  for (const rule of open) {
    const finding = findings.find((each) => each.rule === rule)
    expect(finding).toMatchObject({ rule, status: "not_assessed" })
    expect(finding?.evidence.reason).toMatch(/limit|whole/)
  }
})

it("the broken link check is not assessed when a page did not respond", function* () {
  const { findings, summary } = yield* crawled(soundSite({ "/slow": { fault: "timeout" } }))
  expect(summary.dead_links).toMatchObject({ found: 0, unverified: 1, checked: 4 })
  const broken = findings.find(({ rule }) => rule === "broken_link")
  expect(broken).toMatchObject({ status: "not_assessed" })
  expect(broken?.evidence.reason).toContain("could not be verified")
})

it("with check_dead_links false no broken links are reported", function* () {
  const site = memoryOutbound(soundSite({ "/gone": { status: 404 } }))
  const { findings, summary } = yield* Effect.provide(report(`${origin}/`, { checkDeadLinks: false }), site)
  expect(summary.dead_links).toEqual({ state: "disabled", checked: 0, found: 0, unverified: 0, items: [] })
  expect(findings.find(({ rule }) => rule === "broken_link")?.status).toBe("not_assessed")
})

it("a page linked only through a redirect is no orphan", function* () {
  const changes = {
    "/sitemap.xml": sitemap(["/", "/a", "/b", "/c", "/new"]),
    "/old": redirect("/new"),
    "/new": page("/new")
  }
  const { findings } = yield* crawled(soundSite(changes, ["/new"]))
  expect(findings.find(({ rule }) => rule === "orphan_page")).toMatchObject({ status: "pass" })
})

/** The checks that fail on the sound site with these changes, with the paths they name. */
const failing = (changes: Readonly<Record<string, Reply>>, unlinked: ReadonlyArray<string> = []) =>
  Effect.map(
    Effect.provide(report(`${origin}/`), memoryOutbound(soundSite(changes, unlinked))),
    ({ findings }) =>
      new Map(
        findings.flatMap(({ pages, rule, status }) =>
          status === "fail" ? [[rule, pages.map((url) => url.slice(origin.length))]] : []
        )
      )
  )

const poor = (head: string): Reply => ({
  body: `<!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content=x>${head}<script type="application/ld+json">{,}</script><script type="application/ld+json">{}</script><script type="application/ld+json">{"a":1}</script></head><body><img src=/x.png><a href=/>home</a></body></html>`
})

const aboutContent = [
  "title_missing",
  "description_missing",
  "h1_missing",
  "thin_content",
  "image_alt_missing",
  "structured_data_syntax",
  "structured_data_empty",
  "structured_data_untyped"
]

describe("checks of content apply to indexable pages", () => {
  it("an indexable page is named", () =>
    Effect.map(failing({ "/x": poor("") }), (found) => {
      for (const rule of aboutContent) expect([rule, found.get(rule)]).toEqual([rule, ["/x"]])
    }))
  for (const [name, head] of [
    ["is noindex", "<meta name=robots content=noindex>"],
    ["is canonicalized", `<link rel=canonical href="/a">`]
  ] as const)
    it(`a page that ${name} is not named`, () =>
      Effect.map(failing({ "/x": poor(head) }), (found) => {
        for (const rule of [...aboutContent, "canonical_relative"])
          expect([rule, found.get(rule)]).toEqual([rule, undefined])
      }))
})

describe("link_nofollow_internal names only indexable targets", () => {
  const links = (to: string) => ({ "/a": page("/a", { body: `<a rel=nofollow href="${to}">there</a>` }) })
  for (const [name, to, more, isTold] of [
    ["a page", "/x", { "/x": page("/x") }, true],
    ["a page that exists only with a parameter", "/item?id=7", { "/item?id=7": page("/item?id=7") }, true],
    ["a canonicalized page", "/x", { "/x": page("/x", { canonical: "/b" }) }, false],
    ["a missing page", "/x", { "/x": { status: 404 } }, false],
    ["a sorted view of a page", "/x?sort=price", { "/x": page("/x"), "/x?sort=price": page("/x?sort=price") }, false]
  ] as const)
    it(name, () =>
      Effect.map(failing({ ...links(to), ...more }), (found) =>
        expect(found.get("link_nofollow_internal")).toEqual(isTold ? ["/a"] : undefined)
      )
    )
})

describe("a link or control without a name", () => {
  for (const [markup, rule] of [
    ["<a href=/b></a>", "link_text_missing"],
    ["<a href=/b><img src=/i.png alt=''></a>", "link_text_missing"],
    ["<a href=#top><i></i></a>", "control_unnamed"],
    ["<a href=/a#top><i></i></a>", "control_unnamed"],
    ['<a href="javascript:void(0)"><i></i></a>', "control_unnamed"],
    ["<a href=https://social.test/us><i></i></a>", "control_unnamed"],
    ["<button><i></i></button>", "control_unnamed"],
    ['<a href="javascript:go()"><i></i></a>', "link_script"],
    ["<a href=mailto:us@site.test><i></i></a>", undefined],
    ["<button aria-label=Menu></button><a href=#top>up</a>", undefined]
  ] as const)
    it(`${markup}: ${rule ?? "nothing"}`, () =>
      Effect.map(failing({ "/a": page("/a", { body: markup }) }), (found) =>
        expect([...found.keys()].filter((id) => /^(?:link|control)_/.test(id))).toEqual(
          rule === undefined ? [] : [rule]
        )
      ))
})

it("an empty h1 does not count as a second h1", function* () {
  const one = yield* failing({ "/a": page("/a", { body: "<h1></h1><h1> </h1>" }) })
  expect(one.get("h1_multiple")).toBeUndefined()
  const two = yield* failing({ "/a": page("/a", { body: "<h1></h1><h1>Two</h1>" }) })
  expect(two.get("h1_multiple")).toEqual(["/a"])
})

describe("near duplicates of fewer than 150 words share nine in ten sequences of three words", () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`)
  /** Two pages of equal length whose last words differ. Above 150 words their simhashes decide. */
  const pair = (count: number, different: number) => {
    const bodyOf = (own: string) =>
      `<!doctype html><html lang=en><title>${own}</title><body>${words(count - different).join(" ")} ${words(different)
        .map((word) => `${own}${word}`)
        .join(" ")}</body>`
    return { "/x": { body: bodyOf("red") }, "/y": { body: bodyOf("blue") } }
  }
  for (const [count, different, isNear] of [
    [60, 2, true],
    [60, 4, false],
    [140, 5, true],
    [140, 9, false],
    [140, 15, false],
    [160, 9, true]
  ] as const)
    it(`${different} of ${count} words differ`, () =>
      Effect.map(failing(pair(count, different)), (found) =>
        expect(found.get("content_near_duplicate")).toEqual(isNear ? ["/x", "/y"] : undefined)
      ))

  it("longer pages are no near duplicates when one of them is much longer", () => {
    const text = words(200).join(" ")
    const bodyOf = (own: string, times: number) =>
      `<!doctype html><html lang=en><title>${own}</title><body>${Array.from({ length: times }, () => text).join(" ")}</body>`
    const pages = (times: number) => ({
      "/x": { body: bodyOf("red", 1) },
      "/y": { body: `${bodyOf("blue", times)} x` }
    })
    return Effect.gen(function* () {
      expect((yield* failing(pages(1))).get("content_near_duplicate")).toEqual(["/x", "/y"])
      expect((yield* failing(pages(3))).get("content_near_duplicate")).toBeUndefined()
    })
  })
})

describe("template text outside of landmarks makes no near duplicates", () => {
  const words = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}${at}`).join(" ")
  const paths = Array.from({ length: 12 }, (_, index) => `/x${index}`)
  /** Twelve pages, each between a menu and a notice of the template. */
  const site = (menu: number, text: (index: number) => string): Readonly<Record<string, Reply>> =>
    Object.fromEntries(
      paths.map((path, index) => [
        path,
        {
          body: `<!doctype html><html lang=en><title>${path}</title><body><div>${words(menu, "menu")}</div><div>${text(index)}</div><div>${words(20, "notice")}</div></body>`
        }
      ])
    )
  const near = (menu: number, text: (index: number) => string) =>
    Effect.map(failing(site(menu, text)), (found) => found.get("content_near_duplicate") ?? [])

  for (const own of [6, 20, 60, 140])
    it(`beside ${own} words of their own`, function* () {
      expect(yield* near(160, (index) => words(own, `own${index}-`))).toEqual([])
    })

  it("pages with hardly any words of their own are near duplicates", function* () {
    expect(yield* near(160, (index) => `only${index}`)).toEqual(paths)
  })

  it("two pages whose own words are almost the same are near duplicates", function* () {
    expect(
      yield* near(100, (index) => (index < 2 ? `${words(80, "same")} end${index}` : words(80, `own${index}-`)))
    ).toEqual(["/x0", "/x1"])
  })

  it("any number of pages that differ only in names are near duplicates", function* () {
    const text = (index: number) => `Plumber${index} ${words(100, "text")} town${index}`
    expect(yield* near(40, text)).toEqual(paths)
  })
})

const changed = (changes: Readonly<Record<string, Reply>>) =>
  Effect.provide(report(`${origin}/`), memoryOutbound(soundSite(changes)))

const told = (changes: Readonly<Record<string, Reply>>) =>
  Effect.map(changed(changes), ({ findings }) =>
    findings.flatMap(({ pages, rule, status }) =>
      status === "fail" && /twins|duplicate/.test(rule) ? [[rule, pages.length]] : []
    )
  )

describe("two URLs of one page are twins, and no duplicates, if they differ only in", () => {
  for (const [one, other, words] of [
    ["/x", "/x/", "the trailing slash"],
    ["/x/", "/x/index.php", '"index.php"'],
    ["/x", "/x?utm_source=mail", 'the tracking parameter "utm_source"'],
    ["/x?a=1", "/x?a=1&sid=42", 'the session id "sid"'],
    ["/x?a=1&b=2", "/x?b=2&a=1", "the order of parameters"],
    ["/x/", "/x?gclid=7", 'the tracking parameter "gclid"']
  ] as const) {
    it(words, function* () {
      const { findings } = yield* changed({ [one]: page(one, { title: "X" }), [other]: page(other, { title: "X" }) })
      const failing = findings.filter(({ status }) => status === "fail").map(({ rule }) => rule)
      expect(failing.filter((rule) => /twins|duplicate/.test(rule))).toEqual(["address_twins"])
      const twins = findings.find(({ rule }) => rule === "address_twins")
      expect(twins?.severity).toBe("info")
      expect(twins?.pages.toSorted()).toEqual([`${origin}${one}`, `${origin}${other}`].toSorted())
      expect(twins?.evidence.items[0]?.detail).toEndWith(words)
    })
  }
})

it("two URLs that differ only in a trailing slash are two pages if their contents differ", () =>
  Effect.map(told({ "/x": page("/x"), "/x/": page("/x/") }), (found) => expect(found).toEqual([])))

it("a page with the content of two twin URLs is a duplicate of them", () =>
  Effect.map(
    told({ "/x": page("/x", { title: "X" }), "/x/": page("/x/", { title: "X" }), "/y": page("/y", { title: "X" }) }),
    (found) =>
      expect(found).toEqual([
        ["title_duplicate", 3],
        ["description_duplicate", 3],
        ["content_duplicate", 3],
        ["address_twins", 2]
      ])
  ))

it("session ids reported as endless URLs are not also reported as twins", () =>
  Effect.map(
    changed(
      Object.fromEntries(["1", "2", "3"].map((id) => [`/x?sid=${id}`, page(`/x?sid=${id}`, { title: "X" })] as const))
    ),
    ({ findings }) => {
      const statusOf = (id: string) => findings.find(({ rule }) => rule === id)?.status
      expect(["endless_addresses", "address_twins", "content_duplicate"].map(statusOf)).toEqual([
        "fail",
        "pass",
        "pass"
      ])
    }
  ))
