import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { renderHtml } from "../../../src/crawl/formats/Html.ts"
import { renderReport } from "../../../src/crawl/formats/Terminal.ts"
import type { CrawlResult } from "../../../src/crawl/report/CrawlResult.ts"
import { it } from "../../harness.ts"
import { soundSite } from "../rules/SoundSite.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound } from "../site/MemoryOutbound.ts"

const made = Effect.provide(report("https://site.test/"), memoryOutbound(soundSite({})))

const having = ({ summary, ...rest }: CrawlResult, own: Partial<CrawlResult["summary"]>): CrawlResult => ({
  ...rest,
  summary: { ...summary, ...own }
})

it("the pages that robots.txt allows each agent are a table, which is absent in older results", function* () {
  const plain = yield* made
  const line = { line: 4, text: "Disallow: /", group: "GPTBot" }
  const agents = [
    { agent: "Googlebot", allowed_pages: 24, blocked_pages: 1, start_allowed: true, line: null },
    { agent: "GPTBot", allowed_pages: 0, blocked_pages: 25, start_allowed: false, line }
  ]
  const result = having(plain, { robots: { ...plain.summary.robots, agents } })
  expect(renderReport(result, { color: false })).toContain(
    [
      "robots.txt for           pages  blocked  start page",
      "  Googlebot                 24        1  allowed",
      "  GPTBot                     0       25  blocked by line 4: Disallow: /",
      ""
    ].join("\n")
  )
  const page = yield* renderHtml(result)
  expect(page).toContain("<h2>robots.txt by crawler</h2>")
  expect(page).toContain(
    '<tr><td>GPTBot</td><td class="n" data-is="pages">0</td><td class="n" data-is="blocked">25</td><td class="u">blocked by line 4: Disallow: /</td></tr>'
  )
  const none = having(plain, { robots: { ...plain.summary.robots, agents: [] } })
  expect(renderReport(none, { color: false })).not.toContain("robots.txt for ")
  expect(yield* renderHtml(none)).not.toContain("robots.txt by crawler")
})

it("broken external links have a table of their own, if external links were checked", function* () {
  const plain = yield* made
  const item = {
    url: "https://elsewhere.test/gone",
    http_status: 404,
    linked_from: ["https://site.test/a"],
    all_linked_from: ["https://site.test/a"],
    anchor_text: "",
    attempts: []
  }
  const links = { state: "complete", checked: 3, found: 1, unverified: 0, items: [item] } as const
  const result = having(plain, { external_links: links })
  expect(renderReport(result, { color: false })).toContain(
    [
      "External links  1 found, 3 checked, 0 unverified (complete)",
      "  404  https://elsewhere.test/gone",
      "       linked as (no text)",
      "       from https://site.test/a",
      ""
    ].join("\n")
  )
  expect(yield* renderHtml(result)).toContain("<h2>External links</h2><p>complete: 1 found, 3 checked")
  const off = having(plain, { external_links: { ...links, state: "disabled", items: [] } })
  expect(renderReport(off, { color: false })).not.toContain("External links")
  expect(yield* renderHtml(off)).not.toContain("<h2>External links")
})
