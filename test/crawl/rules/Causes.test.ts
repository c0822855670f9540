import { describe, expect, test } from "bun:test"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { diffOf } from "../../../src/crawl/diff/Diff.ts"
import { verify } from "../../../src/crawl/diff/Verify.ts"
import { renderCsv, renderSarif } from "../../../src/crawl/formats/Formats.ts"
import { EvidenceItem, evidenceOn, type Finding, unitsOf } from "../../../src/crawl/report/Finding.ts"
import { causesOf, itemOfCause } from "../../../src/crawl/rules/Causes.ts"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"

const size = 10
const paths = ["/", ...Array.from({ length: size - 1 }, (_, index) => `/p${index + 1}`)]
const at = (path: string): string => `http://site.test${path}`

/** Ten pages that link to each other, each with markup of its own. */
const crawled = (body: (index: number, path: string) => string) =>
  Effect.provide(
    report(at("/")),
    memoryOutbound(({ pathname }) =>
      paths.includes(pathname)
        ? { body: html({ title: pathname, links: paths, body: body(paths.indexOf(pathname), pathname) }) }
        : { status: 404 }
    )
  )

const footer = '<footer><a href="/p1"></a></footer>'
const link = '<a href="/p1"></a>'

const failing = (findings: ReadonlyArray<Finding>, rule: string): Finding => {
  const found = findings.find((each) => each.rule === rule)
  if (found?.status !== "fail") throw new Error(`${rule} does not fail`)
  return found
}

describe("a site-wide cause", () => {
  it("is one entry in the details, and the issue still names every page", function* () {
    const { findings } = yield* crawled(() => footer)
    const { count, evidence, pages } = failing(findings, "link_text_missing")
    expect(pages).toEqual(paths.map(at))
    expect(count).toBe(size)
    expect(evidence.items).toEqual([
      {
        url: at("/"),
        detail: "10 pages, the same link in the footer",
        markup: link,
        place: "footer",
        shared_by: 10,
        sample: paths.slice(0, 5).map(at)
      }
    ])
  })

  it("leaves other elements entries of their own, also on pages with both", function* () {
    const { findings } = yield* crawled((index) =>
      index === 2 ? `${footer}<a href="/p2"></a>` : index === 3 ? '<a href="/p3"></a>' : footer
    )
    const { count, evidence } = failing(findings, "link_text_missing")
    expect(count).toBe(size)
    expect(evidence.items.map(({ markup, shared_by, url }) => [url, markup, shared_by])).toEqual([
      [at("/"), link, 9],
      [at("/p2"), '<a href="/p2"></a>', undefined],
      [at("/p3"), '<a href="/p3"></a>', undefined]
    ])
  })

  it("is on more than three tenths of the pages, with the same markup and place", function* () {
    const items = (body: (index: number) => string) =>
      Effect.map(crawled(body), ({ findings }) =>
        failing(findings, "link_text_missing").evidence.items.map(({ shared_by }) => shared_by)
      )
    const own = (count: number) => Array.from({ length: count }, () => undefined)
    expect(yield* items((index) => (index < 3 ? footer : ""))).toEqual(own(3))
    expect(yield* items((index) => (index < 4 ? footer : ""))).toEqual([4])
    expect(yield* items((index) => (index < 2 ? footer : index < 4 ? link : ""))).toEqual(own(4))
    expect(yield* items((index) => (index < 4 ? `<a href="/p1" class="c${index}"></a>` : ""))).toEqual(own(4))
  })

  it("comes first, causes on more pages before others", function* () {
    const { findings } = yield* crawled((index) => (index < 5 ? link : "") + (index > 2 ? footer : ""))
    expect(failing(findings, "link_text_missing").evidence.items.map(({ detail }) => detail)).toEqual([
      "7 pages, the same link in the footer",
      "5 pages, the same link in the main content"
    ])
  })

  it("is found by the element for broken links and images without alt", function* () {
    const { findings } = yield* crawled(() => '<nav><a href="/gone">Old</a><img src="/x.png"></nav>')
    expect(failing(findings, "broken_link").evidence.items).toMatchObject([
      {
        detail: "10 pages, the same link in the navigation",
        markup: '<a href="/gone">Old</a>',
        value: `${at("/gone")} (404)`
      }
    ])
    expect(failing(findings, "image_alt_missing").evidence.items).toMatchObject([
      { detail: "10 pages, the same image in the navigation", markup: '<img src="/x.png">' }
    ])
  })

  it("does not exist for a missing element", function* () {
    const bare = memoryOutbound(({ pathname }) =>
      paths.includes(pathname)
        ? { body: html({ title: pathname, links: paths }).replace(/<meta name="description"[^>]*>/, "") }
        : { status: 404 }
    )
    const { findings } = yield* Effect.provide(report(at("/")), bare)
    expect(failing(findings, "description_missing").evidence.items).toHaveLength(size)
  })
})

describe("texts about single URLs show their shared cause:", () => {
  const words = "10 pages, the same link in the footer"

  it("tables, logs and comparisons", function* () {
    const [before, after] = [yield* crawled(() => footer), yield* crawled(() => "")]
    const rows = renderCsv(before, null).split("\r\n")
    expect(rows.filter((row) => row.startsWith("warning,link_text_missing,") && row.includes(words))).toHaveLength(10)
    expect(renderSarif(before, null).split(`: ${words}: \``)).toHaveLength(11)
    const fixed = diffOf(before, after).findings.fixed.filter(({ rule }) => rule === "link_text_missing")
    expect(fixed.map(({ detail, url }) => [url, detail])).toEqual(paths.map((path) => [at(path), words]))
  })

  it("rechecks", function* () {
    const [before, after] = [yield* crawled(() => footer), yield* crawled((index) => (index < 5 ? footer : ""))]
    const verdicts = verify(before, after, ["link_text_missing"])
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(
      paths.map((_, index) => (index < 5 ? "still_failing" : "fixed"))
    )
    expect(verdicts[4]?.detail).toBe("5 pages, the same link in the footer")
  })

  test("details that name every URL are used unchanged", () => {
    const pages = ["a", "b"]
    const items = pages.map((url) => ({ url, detail: `on ${url}` }))
    const finding: Finding = {
      rule: "title_missing",
      category: "content",
      severity: "critical",
      status: "fail",
      count: 2,
      pages,
      evidence: { assessed: 2, reason: null, items },
      effort: "pages",
      charged_by: null
    }
    expect(unitsOf([finding]).map(({ detail }) => detail)).toEqual(["on a", "on b"])
    expect(evidenceOn(finding)("c")).toBe(undefined)
  })

  test("one of several causes is used for each URL that it names", () => {
    const cause = (url: string, sample: ReadonlyArray<string>) => ({ url, detail: `by ${url}`, shared_by: 9, sample })
    const itemOn = evidenceOn({
      rule: "link_text_missing",
      category: "links",
      severity: "warning",
      status: "fail",
      count: 4,
      pages: ["a", "b", "c", "d"],
      evidence: {
        assessed: 4,
        reason: null,
        items: [cause("a", ["a", "b"]), cause("c", ["c"]), { url: "b", detail: "b itself" }]
      },
      effort: "pages",
      charged_by: null
    })
    expect(["a", "b", "c", "d"].map((url) => itemOn(url)?.detail)).toEqual(["by a", "b itself", "by c", "by a"])
  })
})

test("a page counts once for an element that it has twice", () => {
  const element = { markup: "<i></i>", place: "main", link: null } as const
  const failure = (url: string) => ({ url, detail: "", elements: [element, { ...element }] })
  const causes = causesOf([failure("a"), failure("b")])
  expect(causes.of(element)).toMatchObject({ count: 2, sample: ["a", "b"] })
  expect(causes.of({ ...element, place: "nav" })).toBe(undefined)
})

test("the markup of a cause fits into an item", () => {
  const element = { markup: `<a class="${"x".repeat(400)}">`, place: "main", link: null } as const
  const found = causesOf([{ url: "a", detail: "", elements: [element] }]).of(element)
  if (found === undefined) throw new Error("no cause")
  expect(Schema.is(EvidenceItem)(itemOfCause(found))).toBe(true)
})

describe("a cause with relative URLs", () => {
  const image = (source: string) => ({ markup: `<img src="${source}">`, place: "footer", link: null }) as const
  const failures = [
    ["/", "i.png"],
    ["/a/b", "../i.png"],
    ["/a/b/c", "../../i.png"],
    ["/a/", "i.png"]
  ] as const

  test("is one cause when the URLs lead to one target from pages of any depth", () => {
    const causes = causesOf(
      failures.slice(0, 3).map(([path, source]) => ({ url: at(path), detail: "", elements: [image(source)] }))
    )
    expect(causes.isOne).toBe(true)
    for (const [, source] of failures) expect(causes.of(image(source))?.count).toBe(3)
  })

  test("is one cause when the URLs are written alike, since a base may lead to one target", () => {
    const causes = causesOf(
      failures.map(([path, source]) => ({ url: at(path), detail: "", elements: [image(source)] }))
    )
    expect(causes.of(image("i.png"))?.count).toBe(4)
  })
})
