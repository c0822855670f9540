import { describe, expect } from "bun:test"
import * as Effect from "effect/Effect"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"
import { notFound, origin, page, redirect, sitemap, soundSite } from "./SoundSite.ts"

/** The issue of one check on the sound site with these changes. */
const said = (rule: string, changes: Readonly<Record<string, Reply>>, unlinked: ReadonlyArray<string> = []) =>
  Effect.map(
    Effect.provide(report(`${origin}/`), memoryOutbound(soundSite(changes, unlinked))),
    ({ findings, ...rest }) => ({
      ...rest,
      findings,
      finding: findings.find((each) => each.rule === rule)
    })
  )

const version = (language: string, path: string) =>
  `<link rel="alternate" hreflang="${language}" href="${origin}${path}">`

it("a page that a linked page names as its canonical is no orphan", function* () {
  const changes = {
    "/sitemap.xml": sitemap(["/", "/a", "/b", "/c", "/shoe"]),
    "/old": redirect("/shoe?from=list"),
    "/shoe?from=list": page("/shoe?from=list", { canonical: "/shoe", title: "Shoe" }),
    "/shoe": page("/shoe", { title: "Shoe" })
  }
  const { finding } = yield* said("orphan_page", changes, ["/shoe", "/shoe?from=list"])
  expect(finding).toMatchObject({ status: "pass" })
})

it("nofollow on a link within the same page is no issue", function* () {
  const body = '<a rel=nofollow href="#top">up</a><a rel=nofollow href="/a#top">up</a>'
  const { finding } = yield* said("link_nofollow_internal", { "/a": page("/a", { body }) })
  expect(finding).toMatchObject({ status: "pass" })
})

describe("hreflang needs registered languages and countries", () => {
  for (const [language, isValid] of [
    ["en", true],
    ["en-GB", true],
    ["zh-Hant", true],
    ["zh-Hans-CN", true],
    ["x-default", true],
    ["fil", true],
    ["en-UK", false],
    ["jp", false],
    ["cz", false],
    ["eng", false],
    ["de-EU", false],
    ["xx", false],
    ["en-XX", false],
    ["gb", false],
    ["en_GB", false]
  ] as const) {
    it(`${language} is ${isValid ? "valid" : "invalid"}`, function* () {
      const { finding } = yield* said("hreflang_invalid", { "/a": page("/a", { head: version(language, "/a") }) })
      expect(finding?.status).toBe(isValid ? "pass" : "fail")
    })
  }
})

/** A sitemap of the sound site whose entries name language versions. */
const versions = (
  named: Readonly<Record<string, Readonly<Record<string, string>>>>,
  more: ReadonlyArray<string> = []
): Reply => ({
  headers: { "content-type": "application/xml" },
  body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">${[
    "/",
    "/a",
    "/b",
    "/c",
    ...more
  ]
    .map((path) => {
      const links = Object.entries(named[path] ?? {}).map(
        ([language, href]) => `<xhtml:link rel="alternate" hreflang="${language}" href="${href}"/>`
      )
      return `<url><loc>${origin}${path}</loc>${links.join("")}</url>`
    })
    .join("")}</urlset>`
})

const both = { en: `${origin}/a`, de: `${origin}/b` }

it("a return link in the sitemap counts", function* () {
  const changes = {
    "/a": page("/a", { head: version("en", "/a") + version("de", "/b") }),
    "/sitemap.xml": versions({ "/b": both })
  }
  expect((yield* said("hreflang_no_return", changes)).finding).toMatchObject({ status: "pass" })
  const { "/a": only } = changes
  expect((yield* said("hreflang_no_return", { "/a": only })).finding).toMatchObject({ status: "fail" })
})

describe("language versions in a sitemap are checked like those of a page:", () => {
  for (const [name, rule, a, detail] of [
    [
      "an invalid language",
      "hreflang_invalid",
      { ...both, "en-UK": `${origin}/a` },
      `en-uk ${origin}/a in the sitemap`
    ],
    ["a relative URL", "hreflang_relative", { en: "/a" }, "en /a in the sitemap"],
    ["a URL without a scheme", "hreflang_relative", { en: "//site.test/a" }, "en //site.test/a in the sitemap"],
    ["no entry for the page itself", "hreflang_self_missing", { de: `${origin}/b` }, "no hreflang for itself"],
    ["no return link", "hreflang_no_return", both, `${origin}/b in the sitemap`],
    [
      "a missing version",
      "hreflang_to_unindexable",
      { ...both, fr: `${origin}/gone` },
      `${origin}/gone (returns 4xx) in the sitemap`
    ]
  ] as const)
    it(name, function* () {
      const b = rule === "hreflang_no_return" ? {} : { "/b": both }
      const changes = { "/sitemap.xml": versions({ "/a": a, ...b }), "/gone": notFound }
      const { finding } = yield* said(rule, changes, ["/gone"])
      expect(finding).toMatchObject({ status: "fail", pages: [`${origin}/a`] })
      expect(finding?.evidence.items[0]?.detail).toBe(detail)
    })

  it("two URLs of one language in head and sitemap", function* () {
    const changes = {
      "/a": page("/a", { head: version("en", "/a") + version("de", "/c") }),
      "/sitemap.xml": versions({ "/a": both, "/b": both, "/c": both })
    }
    const { finding } = yield* said("hreflang_conflicting", changes)
    expect(finding).toMatchObject({ status: "fail", pages: [`${origin}/a`] })
    expect(finding?.evidence.items[0]?.detail).toBe("de, de in the sitemap")
  })

  it("versions with the same title may share it", function* () {
    const changes = {
      "/a": page("/a", { title: "One" }),
      "/b": page("/b", { title: "One" }),
      "/sitemap.xml": versions({ "/a": both, "/b": both })
    }
    expect((yield* said("title_duplicate", changes)).finding).toMatchObject({ status: "pass" })
  })
})

describe("the x-default version", () => {
  for (const [status, verdict] of [
    [302, "pass"],
    [303, "pass"],
    [307, "pass"],
    [301, "fail"],
    [308, "fail"]
  ] as const)
    it(`may redirect by language, which status ${status} ${verdict === "pass" ? "means" : "does not mean"}`, function* () {
      const head = `${version("en", "/a")}${version("x-default", "/door")}`
      const changes = { "/a": page("/a", { head }), "/door": redirect("/a", status) }
      const { finding, findings } = yield* said("hreflang_to_unindexable", changes, ["/door"])
      expect(finding?.status).toBe(verdict)
      if (verdict === "pass")
        expect(findings.filter((each) => each.status === "fail" && each.severity !== "info")).toEqual([])
    })

  it("may not be the page of another language that redirects", function* () {
    const head = `${version("en", "/a")}${version("de", "/door")}`
    const changes = { "/a": page("/a", { head }), "/door": redirect("/a", 302) }
    expect((yield* said("hreflang_to_unindexable", changes, ["/door"])).finding?.status).toBe("fail")
  })
})

it("a version with a URL that redirects to it is one issue", function* () {
  const head = version("en", "/old") + version("de", "/b")
  const changes = {
    "/a": page("/a", { head }),
    "/b": page("/b", { head }),
    "/old": redirect("/a", 301)
  }
  const { findings } = yield* said("hreflang_to_unindexable", changes, ["/old"])
  const failed = findings.filter(({ rule, status }) => rule.startsWith("hreflang_") && status === "fail")
  expect(failed.map(({ pages, rule }) => [rule, pages])).toEqual([
    ["hreflang_to_unindexable", [`${origin}/a`, `${origin}/b`]]
  ])
})

it("a parameter set with another page as canonical has its language versions ignored", function* () {
  const head = version("en", "/a") + version("de", "/b")
  const changes = {
    "/a": page("/a", { head }),
    "/a?src=x": page("/a?src=x", { head, canonical: "/a" }),
    "/b": page("/b", { head })
  }
  const { findings } = yield* said("hreflang_no_return", changes)
  expect(findings.filter(({ rule, status }) => rule.startsWith("hreflang_") && status === "fail")).toEqual([])
})

it("a missing page that only the sitemap lists is an issue of the sitemap, and no broken link", function* () {
  const changes = { "/sitemap.xml": sitemap(["/", "/a", "/b", "/c", "/gone"]), "/gone": notFound }
  const { finding, summary } = yield* said("page_client_error", changes, ["/gone"])
  expect(summary.dead_links).toMatchObject({ state: "complete", found: 0, items: [] })
  expect(finding?.evidence.items[0]?.detail).toContain("only in the sitemap")
  const listed = (yield* said("sitemap_lists_errors", changes, ["/gone"])).finding
  expect(listed?.pages).toEqual([`${origin}/gone`])
  const linked = yield* said("page_client_error", changes)
  expect(linked.summary.dead_links).toMatchObject({ found: 1 })
})

it("a start page with /index.html as canonical is not hidden", function* () {
  const links = ["/a", "/b", "/c"]
  const changes = {
    "/": page("/", { title: "Home", canonical: "/index.html", links }),
    "/index.html": page("/index.html", { title: "Home", links })
  }
  const { finding, score } = yield* said("start_hidden", changes)
  expect(finding).toMatchObject({ status: "pass" })
  expect(score.breakdown).toMatchObject({ factor: null })
  const other = yield* said("start_hidden", { "/": page("/", { canonical: "/a", links }) })
  expect(other.finding).toMatchObject({ status: "fail" })
})

it("an index and its latest post in full are no near duplicates", function* () {
  const text = Array.from({ length: 300 }, (_, index) => `post${index}`).join(" ")
  const changes = {
    "/blog/": page("/blog/", { title: "Same", body: `<p>${text}</p><nav><a href=/blog/new>New</a></nav>` }),
    "/blog/new": page("/blog/new", { title: "Same", body: `<p>${text} end</p>` })
  }
  expect((yield* said("content_near_duplicate", changes)).finding).toMatchObject({ status: "pass" })
})

it("an equal title in several languages reports the missing hreflang", function* () {
  const german: Reply = { body: html({ title: "Shop", links: ["/"] }).replace('lang="en"', 'lang="de-AT"') }
  const { finding } = yield* said("title_duplicate", { "/x": page("/x", { title: "Shop" }), "/de": german })
  expect(finding?.evidence.items[0]?.detail).toContain("language copies without hreflang")
})

it("an equal title of two pages in the same language does not mention hreflang", function* () {
  const german: Reply = { body: html({ title: "Shop", links: ["/"] }).replace('lang="en"', 'lang="de"') }
  const changes = { "/x": page("/x", { title: "Shop" }), "/y": page("/y", { title: "Shop" }), "/de": german }
  const { finding } = yield* said("title_duplicate", changes)
  const ofX = finding?.evidence.items.find(({ url }) => url === `${origin}/x`)
  expect(ofX?.detail).toBe(`also on ${origin}/y, ${origin}/de`)
})

describe("robots directives", () => {
  for (const [content, isReadable] of [
    ["noindex, nofollow", true],
    ["INDEX,FOLLOW,max-image-preview:large", true],
    ["unavailable_after: Wed, 03 Dec 2035 13:09:53 GMT", true],
    ["somethingelse", true],
    ["noindex nofollow", false],
    ["noindex;nofollow", false],
    ["no-index", false],
    ["no index", false],
    ["noidex", false],
    ["noindexnofollow", false],
    ["noindexnofollownoarchive", false]
  ] as const) {
    it(`"${content}" ${isReadable ? "is valid" : "is invalid"}`, function* () {
      const changes = { "/a": page("/a", { head: `<meta name=robots content="${content}">` }) }
      expect((yield* said("robots_directive_unreadable", changes)).finding?.status).toBe(isReadable ? "pass" : "fail")
      const sent = { "/a": { ...page("/a"), headers: { "x-robots-tag": content } } }
      expect((yield* said("robots_directive_unreadable", sent)).finding?.status).toBe(isReadable ? "pass" : "fail")
    })
  }
})

it("an undeclared encoding is one issue, as not declared", function* () {
  const body = html({ title: "A", links: ["/"] }).replace('<meta charset="utf-8">', "")
  const bare = { "/x": { headers: { "content-type": "text/html" }, body } }
  expect((yield* said("charset_not_utf8", bare)).finding).toMatchObject({ status: "pass" })
  expect((yield* said("charset_undeclared", bare)).finding).toMatchObject({ pages: [`${origin}/x`] })
  const declared = { "/x": { headers: { "content-type": "text/html; charset=iso-8859-1" }, body } }
  expect((yield* said("charset_not_utf8", declared)).finding).toMatchObject({ pages: [`${origin}/x`] })
})

it("nofollow on links to files and noindex pages is no issue", function* () {
  const changes = {
    "/a": page("/a", { body: '<a rel=nofollow href="/source.txt">source</a><a rel=nofollow href="/cart">cart</a>' }),
    "/source.txt": { headers: { "content-type": "text/plain" }, body: "text" },
    "/cart": page("/cart", { head: "<meta name=robots content=noindex>" })
  }
  expect((yield* said("link_nofollow_internal", changes)).finding).toMatchObject({ status: "pass" })
  const open = { ...changes, "/cart": page("/cart") }
  expect((yield* said("link_nofollow_internal", open)).finding).toMatchObject({ pages: [`${origin}/a`] })
})

it("a page is not missing from the sitemap if a URL that redirects to it or is canonicalized is listed", function* () {
  const changes = {
    "/sitemap.xml": sitemap(["/", "/a", "/b", "/c", "/new", "/copy"]),
    "/new": redirect("/new/"),
    "/new/": page("/new/"),
    "/copy": page("/copy", { canonical: "/whole" }),
    "/whole": page("/whole")
  }
  expect((yield* said("page_not_in_sitemap", changes)).finding).toMatchObject({ status: "pass" })
  expect((yield* said("sitemap_lists_redirects", changes)).finding).toMatchObject({ pages: [`${origin}/new`] })
  const other = { ...changes, "/late": page("/late") }
  expect((yield* said("page_not_in_sitemap", other)).finding).toMatchObject({ pages: [`${origin}/late`] })
})

it("a folder and its index file are twins, and no duplicates, orphans or missing from the sitemap", function* () {
  const same = { body: html({ title: "Tags", links: ["/"] }).replace(/<p>.*?<\/p>/, "") }
  const changes = {
    "/sitemap.xml": sitemap(["/", "/a", "/b", "/c", "/tags/index.html"]),
    "/tags/": same,
    "/tags/index.html": same
  }
  const about = (rule: string) => said(rule, changes, ["/tags/index.html"])
  for (const rule of [
    "orphan_page",
    "page_not_in_sitemap",
    "title_duplicate",
    "description_duplicate",
    "content_duplicate"
  ])
    expect((yield* about(rule)).finding).toMatchObject({ rule, status: "pass" })
  const { finding } = yield* about("address_twins")
  expect(finding?.pages).toEqual([`${origin}/tags/`, `${origin}/tags/index.html`])
  expect(finding?.evidence.items[0]?.detail).toContain('they differ in "index.html"')
})

it("a file that proves ownership to a search engine is no page", function* () {
  const { findings } = yield* said("title_missing", {
    "/google12ab.html": { body: "google-site-verification: google12ab.html" }
  })
  const failing = findings.filter(({ status }) => status === "fail").map(({ rule }) => rule)
  expect(failing).toEqual([])
})
