import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { diffOf } from "../../../src/crawl/diff/Diff.ts"
import { verify } from "../../../src/crawl/diff/Verify.ts"
import { renderCsv, renderJunit, renderSarif } from "../../../src/crawl/formats/Formats.ts"
import { renderHtml } from "../../../src/crawl/formats/Html.ts"
import { renderReport } from "../../../src/crawl/formats/Terminal.ts"
import type { CrawlResult } from "../../../src/crawl/report/CrawlResult.ts"
import type { EvidenceItem, Finding } from "../../../src/crawl/report/Finding.ts"
import { it } from "../../harness.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"

const paths = Array.from({ length: 30 }, (_, index) => `/p${index}`)
const at = (path: string) => `http://site.test${path}`

const made = Effect.provide(
  report("http://site.test/"),
  memoryOutbound(({ pathname }) => {
    if (pathname !== "/" && !paths.includes(pathname)) return { status: 404 }
    const page = html({ title: pathname, links: pathname === "/" ? paths : ["/"] })
    return { body: page.replace(/<meta name="description"[^>]*>/, "") }
  })
)

const words = "30 pages, the same link in the header"
const logo = '<a class="logo" href="/"><svg></svg></a>'

/** One cause on all pages but the last, six of which are stored by name, and another issue on the last. */
const shared: EvidenceItem = {
  url: at("/"),
  detail: words,
  markup: logo,
  place: "header",
  shared_by: 30,
  sample: ["/", "/p0", "/p1", "/p2", "/p3"].map(at)
}
const own: EvidenceItem = { url: at("/p29"), detail: "a link without text", value: "/more", place: "footer" }

const mute = (items: ReadonlyArray<EvidenceItem>): Finding => ({
  rule: "link_text_missing",
  category: "links",
  severity: "warning",
  status: "fail",
  count: 31,
  pages: ["/", ...paths].map(at),
  evidence: { assessed: 31, reason: null, items },
  effort: "pages",
  charged_by: null
})

const having = (result: CrawlResult, finding: Finding): CrawlResult => ({
  ...result,
  findings: result.findings.map((each) => (each.rule === finding.rule ? finding : each))
})

const whole = Effect.map(made, (result) => having(result, mute([shared, own])))

it("equal details are one line with their count and five URLs", function* () {
  const result = yield* made
  const text = renderReport(result, { color: false })
  const lines = [
    "    31 URLs: no meta description, in the head",
    ...["/", "/p0", "/p1", "/p2", "/p3"].map((path) => `      ${at(path)}`)
  ]
  expect(text).toContain([...lines, "      and 26 more", ""].join("\n"))
  expect(text.match(/: no meta description/g)).toHaveLength(1)
  const page = yield* renderHtml(result)
  expect(page.match(/: no meta description/g)).toHaveLength(1)
  expect(page).toContain("<summary>26 more</summary>")
  for (const path of paths) expect(page).toContain(`<li class="u"><a href="${at(path)}"`)
})

it("a site-wide cause is one line with its place, and its markup as code", function* () {
  const result = yield* whole
  const said = [
    "    30 pages, the same link in the header",
    `      \`${logo}\``,
    `      ${at("/")}`,
    ...["/p0", "/p1", "/p2", "/p3"].map((path) => `      ${at(path)}`),
    "      and 25 more",
    `    ${at("/p29")}  a link without text, in the footer`,
    "      value: /more",
    ""
  ].join("\n")
  expect(renderReport(result, { color: false })).toContain(said)
  const page = yield* renderHtml(result)
  expect(page).toContain(
    "<b>30 pages, the same link in the header</b><br><code>&lt;a class=&quot;logo&quot; href=&quot;/&quot;&gt;&lt;svg&gt;&lt;/svg&gt;&lt;/a&gt;</code>"
  )
  expect(page).toContain("<small>and 25 more</small>")
  expect(page).toContain("a link without text, in the footer<br><small>value</small> <code>/more</code>")
  const suite = renderJunit(result)
  expect(suite).toContain("30 pages, the same link in the header\n  `&lt;a class=&quot;logo&quot;")
  expect(suite).toContain(`${at("/p29")}  a link without text, in the footer\n  value: /more`)
})

it("tables and logs name the cause of each page", function* () {
  const result = yield* whole
  const rows = renderCsv(result, null).split("\r\n")
  expect(rows).toContain(
    `warning,link_text_missing,Link without anchor text,links,${at("/p20")},"30 pages, the same link in the header",,header,,"${logo.replaceAll('"', '""')}",30`
  )
  expect(rows).toContain(
    `warning,link_text_missing,Link without anchor text,links,${at("/p29")},a link without text,,footer,/more,,`
  )
  const [{ invocations, results }] = JSON.parse(renderSarif(result, null)).runs
  const of = (path: string) =>
    results.find(
      (each: { readonly partialFingerprints: object }) =>
        Object.values(each.partialFingerprints)[0] === `link_text_missing ${at(path)}`
    )
  expect(of("/p20")).toMatchObject({
    message: { text: `Link without anchor text: 30 pages, the same link in the header: \`${logo}\`` },
    properties: { markup: logo, place: "header", sharedBy: 30 }
  })
  expect(of("/p29")).toMatchObject({
    message: { text: "Link without anchor text: a link without text, in the footer: value /more" },
    properties: { value: "/more" }
  })
  expect(invocations[0].properties.notRead).toEqual([])
})

it("a page that only a site-wide cause names is compared and rechecked like any other page", function* () {
  const [clean, faulty] = [yield* made, yield* whole]
  const verdicts = verify(faulty, faulty, ["link_text_missing"])
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 31 }, () => "still_failing" as const))
  expect(verdicts.find(({ url }) => url === at("/p20"))?.detail).toBe(words)
  expect(verify(faulty, clean, ["link_text_missing"]).map(({ verdict }) => verdict)).toEqual(
    Array.from({ length: 31 }, () => "fixed" as const)
  )
  const { findings } = diffOf(clean, faulty)
  expect(findings.new).toContainEqual({
    rule: "link_text_missing",
    category: "links",
    severity: "warning",
    url: at("/p20"),
    detail: words
  })
  expect(findings.new).toHaveLength(31)
  expect(diffOf(faulty, clean).findings.fixed).toHaveLength(31)
})

it("a detail that is too long ends after a complete URL", function* () {
  const long = ["a", "b", "c"].map((name) => `/${name.repeat(1400)}`)
  const outbound = memoryOutbound(({ pathname }) =>
    pathname === "/" ? { body: html({ title: "Home", links: long }) } : { status: 404 }
  )
  const { findings } = yield* Effect.provide(report(at("/")), outbound)
  const detail = findings.find(({ rule }) => rule === "broken_link")?.evidence.items[0]?.detail
  const words = long.map((path) => `"${`to ${path}`.slice(0, 200)}" → ${at(path)}`)
  expect(detail).toBe(`3 links: ${words.join(" (404), ")} …`)
})
