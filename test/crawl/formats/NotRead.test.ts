import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { renderSarif } from "../../../src/crawl/formats/Formats.ts"
import { renderHtml } from "../../../src/crawl/formats/Html.ts"
import { renderReport } from "../../../src/crawl/formats/Terminal.ts"
import type { CrawlResult } from "../../../src/crawl/report/CrawlResult.ts"
import { it } from "../../harness.ts"
import { page, soundSite } from "../rules/SoundSite.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"

const sound = (changes: Parameters<typeof soundSite>[0], own: Parameters<typeof report>[1] = {}) =>
  Effect.provide(report("https://site.test/", own), memoryOutbound(soundSite(changes)))

const textOf = (result: CrawlResult) => renderReport(result, { color: false })

it("what could not be read is said before the score, with its number and one of its URLs", function* () {
  const robots = { body: "User-agent: *\nDisallow: /b\n", headers: { "content-type": "text/plain" } }
  const result = yield* sound({ "/a": { fault: "timeout" }, "/robots.txt": robots })
  const text = textOf(result)
  expect(text).toContain("\nNot read  2 of 4 URLs, of which nothing below can speak\n")
  expect(text).toMatch(/\n {6}1 {2}no answer in time +https:\/\/site\.test\/a\n/)
  expect(text).toMatch(/\n {6}1 {2}blocked by robots\.txt +https:\/\/site\.test\/b\n/)
  expect(text.indexOf("\nNot read  ")).toBeLessThan(text.indexOf("\nScore  "))
  const html = yield* renderHtml(result)
  expect(html).toContain("<b>Not read:</b> 2 of 4 URLs, of which nothing below can speak.</p>")
  expect(html).toContain('<li class="u">1 URL: no answer in time, <small>such as</small> <a href="https://site.test/a"')
  expect(html.indexOf("Not read:")).toBeLessThan(html.indexOf('<div class="score'))
  expect(JSON.parse(renderSarif(result, null)).runs[0].invocations[0].properties.notRead).toEqual([
    "1 blocked by robots.txt",
    "1 no answer in time"
  ])
})

it("a limit is told by what it left unread, and a site that was read whole by nothing", function* () {
  expect(textOf(yield* sound({}, { maxPages: 2 }))).toMatch(
    /\nNot read {2}2 of 4 URLs, .*\n {6}2 {2}not verified within/
  )
  expect(textOf(yield* sound({}))).toContain("\nNot read  nothing\nScore  100")
})

it("files and addresses that act are no pages that were not read", function* () {
  const { summary, ...rest } = yield* sound({})
  const [example_url, count] = ["https://site.test/x", 200]
  const of = (reason: "not_html" | "action_link" | "blocked_for_us") => ({ reason, count, example_url })
  const having = (...reasons: ReadonlyArray<ReturnType<typeof of>>) =>
    textOf({ ...rest, summary: { ...summary, inventory: { ...summary.inventory, reasons } } })
  expect(having(of("not_html"), of("action_link"))).toContain("\nNot read  nothing\n")
  expect(having(of("blocked_for_us"))).toContain("\nNot read  200 of ")
})

it("pages without a link are those that orphan_page names, not those that no followed link reaches", function* () {
  const home = page("/", { links: ["/a", "/b", "/c"], body: '<a href="/shy" rel="nofollow">Shy</a>' })
  const linked = { "/": home, "/shy": page("/shy"), "/lost": page("/lost") }
  const result = yield* sound({ ...linked, "/sitemap.xml": sitemap(["/", "/a", "/b", "/c", "/shy", "/lost"]) })
  const orphans = result.findings.find(({ rule }) => rule === "orphan_page")
  expect(orphans?.count).toBe(1)
  expect(yield* renderHtml(result)).toContain("In the sitemap without a link: 1.")
})

const sitemap = (paths: ReadonlyArray<string>) => ({
  body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths.map((path) => `<url><loc>https://site.test${path}</loc></url>`).join("")}</urlset>`,
  headers: { "content-type": "application/xml" }
})
