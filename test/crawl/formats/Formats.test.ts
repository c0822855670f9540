import { expect, test } from "bun:test"
import schema from "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" with { type: "json" }
import Ajv from "ajv-draft-04"
import addFormats from "ajv-formats"
import * as Effect from "effect/Effect"
import { diffOf } from "../../../src/crawl/diff/Diff.ts"
import { renderCsv, renderJunit, renderSarif } from "../../../src/crawl/formats/Formats.ts"
import { renderHtml } from "../../../src/crawl/formats/Html.ts"
import { renderReport } from "../../../src/crawl/formats/Terminal.ts"
import { ruleName } from "../../../src/crawl/formats/Wording.ts"
import type { CrawlResult } from "../../../src/crawl/report/CrawlResult.ts"
import { catalogue } from "../../../src/crawl/rules/Catalogue.ts"
import { it } from "../../harness.ts"
import { page, soundSite } from "../rules/SoundSite.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"

const paths = Array.from({ length: 30 }, (_, index) => `/p${index}`)

const nasty = '=cmd|"/c calc"!A1,\u0000\u001b[2J\ud800 ]]> </failure>'

/** Thirty pages without descriptions and one link with a hostile text; `alt` fixes the images. */
const made = (alt: string) =>
  Effect.provide(
    report("http://site.test/"),
    memoryOutbound(({ pathname }) => {
      if (pathname !== "/" && !paths.includes(pathname)) return { status: 404 }
      const body = `<img src=/x.png ${alt}><a href="javascript:x">${nasty}</a>`
      return {
        body: html({ title: pathname, links: pathname === "/" ? paths : ["/"], body }).replace(
          /<meta name="description"[^>]*>/,
          ""
        )
      }
    })
  )

it("CSV has one row for each check and URL, and no cell that a spreadsheet would run as a formula", function* () {
  const [before, after] = [yield* made(""), yield* made("alt=x")]
  const rows = renderCsv(before, null).split("\r\n")
  expect(rows[0]).toBe("severity,rule,name,category,url,detail,change,place,value,markup,shared_by")
  expect(rows.filter((row) => row.startsWith("warning,description_missing,"))).toHaveLength(31)
  expect(rows.filter((row) => /(?:^|,)"?[=@+]/.test(row))).toEqual([])
  const changed = renderCsv(after, diffOf(before, after)).split("\r\n")
  expect(
    changed.filter((row) => row.startsWith("warning,image_alt_missing,") && row.endsWith(",fixed,,,,"))
  ).toHaveLength(31)
  expect(
    changed.filter((row) => row.startsWith("warning,description_missing,") && row.endsWith(",persisting,head,,,"))
  ).toHaveLength(31)
})

it("JUnit has a test for each check, a failure for each critical issue and warning, and escapes every character", function* () {
  const result = yield* made("")
  const xml = renderJunit(result)
  const failed = result.findings.filter(({ severity, status }) => status === "fail" && severity !== "info")
  expect(xml.match(/<testcase /g)).toHaveLength(catalogue.length)
  expect(xml.match(/<failure /g)).toHaveLength(failed.length)
  expect(xml).toContain(`failures="${failed.length}"`)
  expect(xml).toContain("31 URLs: no meta description, in the head\n  http://site.test/\n  http://site.test/p0\n")
  expect(xml).toContain("  http://site.test/p3\n  and 26 more")
  // The schema of CI servers gives a skipped case text, and no attribute.
  const skipped = result.findings.filter(({ status }) => status === "not_assessed")
  expect(xml.match(/<skipped>[^<]+<\/skipped>/g)).toHaveLength(skipped.length)
  expect(xml.replaceAll("\n", "")).not.toMatch(/\p{Cc}|[\ufffe\uffff]/u)
  expect(xml.isWellFormed()).toBe(true)
})

it("SARIF names every check once, and each result with its check, level, place and state", function* () {
  const [before, after] = [yield* made(""), yield* made("alt=x")]
  const { runs, version } = JSON.parse(renderSarif(after, diffOf(before, after)))
  const [{ results, tool }] = runs
  expect(version).toBe("2.1.0")
  expect(tool.driver.rules.map(({ id }: { readonly id: string }) => id)).toEqual(catalogue.map(({ id }) => id))
  expect(results.length).toBeGreaterThan(60)
  for (const { baselineState, level, locations, ruleId, ruleIndex } of results) {
    expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
    expect(["error", "warning", "note"]).toContain(level)
    expect(locations[0].physicalLocation.artifactLocation.uri).toStartWith("http://site.test/")
    expect(baselineState).toBe(ruleId === "image_alt_missing" ? "absent" : "unchanged")
  }
  expect(JSON.parse(renderSarif(after, null)).runs[0].results[0]).not.toHaveProperty("baselineState")
})

it("SARIF conforms to the schema of its standard, with and without a baseline", function* () {
  const conforms = addFormats(new Ajv({ strict: false, unicodeRegExp: false })).compile(schema)
  const [before, after] = [yield* made(""), yield* made("alt=x")]
  const logs = [
    renderSarif(before, null),
    renderSarif(after, diffOf(before, after)),
    renderSarif(before, diffOf(after, before))
  ].map((log) => JSON.parse(log))
  for (const log of logs) {
    conforms(log)
    expect(conforms.errors).toBe(null)
  }
  const [log] = logs
  expect(conforms({ ...log, version: "2.0" })).toBe(false)
  expect(conforms({ ...log, runs: [{ ...log.runs[0], results: [{ ...log.runs[0].results[0], level: "bad" }] }] })).toBe(
    false
  )
})

test("every check has a unique name in words, and an unknown id stays as it is", () => {
  const names = catalogue.map(({ name }) => name ?? "")
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => name.includes("_") || !/^(?:[A-Z]|hreflang|robots\.txt|noindex)/.test(name))).toEqual(
    []
  )
  expect(catalogue.map(({ id }) => ruleName(id))).toEqual(names)
  expect(ruleName("of_another_version")).toBe("of_another_version")
})

const sound = (changes: Parameters<typeof soundSite>[0], own: Parameters<typeof report>[1] = {}) =>
  Effect.provide(report("https://site.test/", own), memoryOutbound(soundSite(changes)))

const textOf = (result: CrawlResult) => renderReport(result, { color: false })

it("the number of URLs that were not crawled is shown before the score, with a reason and an example", function* () {
  const robots = { body: "User-agent: *\nDisallow: /b\n", headers: { "content-type": "text/plain" } }
  const result = yield* sound({ "/a": { fault: "timeout" }, "/robots.txt": robots })
  const text = textOf(result)
  expect(text).toContain("\nNot crawled  2 of 4 URLs; the results below do not cover them\n")
  expect(text).toMatch(/\n {6}1 {2}timed out +https:\/\/site\.test\/a\n/)
  expect(text).toMatch(/\n {6}1 {2}blocked by robots\.txt +https:\/\/site\.test\/b\n/)
  expect(text.indexOf("\nNot crawled  ")).toBeLessThan(text.indexOf("\nScore  "))
  const html = yield* renderHtml(result)
  expect(html).toContain("<b>Not crawled:</b> 2 of 4 URLs; the results below do not cover them.</p>")
  expect(html).toContain('<li class="u">1 URL: timed out, <small>such as</small> <a href="https://site.test/a"')
  expect(html.indexOf("Not crawled:")).toBeLessThan(html.indexOf('<div class="score'))
  expect(JSON.parse(renderSarif(result, null)).runs[0].invocations[0].properties.notRead).toEqual([
    "1 blocked by robots.txt",
    "1 timed out"
  ])
})

it('a page limit is reported with the number of URLs left, and a complete crawl with "nothing"', function* () {
  expect(textOf(yield* sound({}, { maxPages: 2 }))).toMatch(
    /\nNot crawled {2}2 of 4 URLs; .*\n {6}2 {2}not crawled within/
  )
  expect(textOf(yield* sound({}))).toContain("\nNot crawled  nothing\nScore  100")
})

it("files and URLs that trigger actions do not count as not crawled", function* () {
  const { summary, ...rest } = yield* sound({})
  const [example_url, count] = ["https://site.test/x", 200]
  const of = (reason: "not_html" | "action_link" | "blocked_for_us") => ({ reason, count, example_url })
  const having = (...reasons: ReadonlyArray<ReturnType<typeof of>>) =>
    textOf({ ...rest, summary: { ...summary, inventory: { ...summary.inventory, reasons } } })
  expect(having(of("not_html"), of("action_link"))).toContain("\nNot crawled  nothing\n")
  expect(having(of("blocked_for_us"))).toContain("\nNot crawled  200 of ")
})

it("orphan pages in the HTML report are those of orphan_page, without pages that only nofollow links reach", function* () {
  const home = page("/", { links: ["/a", "/b", "/c"], body: '<a href="/shy" rel="nofollow">Shy</a>' })
  const linked = { "/": home, "/shy": page("/shy"), "/lost": page("/lost") }
  const result = yield* sound({ ...linked, "/sitemap.xml": sitemap(["/", "/a", "/b", "/c", "/shy", "/lost"]) })
  const orphans = result.findings.find(({ rule }) => rule === "orphan_page")
  expect(orphans?.count).toBe(1)
  expect(yield* renderHtml(result)).toContain("Orphan pages: 1.")
})

const sitemap = (paths: ReadonlyArray<string>) => ({
  body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths.map((path) => `<url><loc>https://site.test${path}</loc></url>`).join("")}</urlset>`,
  headers: { "content-type": "application/xml" }
})
