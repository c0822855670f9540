import { expect, test } from "bun:test"
import type { AnalysedPage, AnalysedSite } from "../../../src/crawl/analysis/AnalysedSite.ts"
import { newRecord } from "../../../src/crawl/frontier/Frontier.ts"
import type { HealthReason } from "../../../src/crawl/report/MeasuredPage.ts"
import { nothingRendered } from "../../../src/crawl/report/Rendering.ts"
import { causesOf } from "../../../src/crawl/rules/Causes.ts"
import type { Checked } from "../../../src/crawl/rules/Findings.ts"
import type { Rule } from "../../../src/crawl/rules/Rule.ts"
import { scoreFactors } from "../../../src/crawl/rules/ScoreFactors.ts"
import { ledgerOf, scoreOf } from "../../../src/crawl/score/Score.ts"

const pageAt = (url: string, reason: HealthReason): AnalysedPage => ({
  url,
  record: newRecord(url, { via: "link", depth: 1, from: null, text: null, hops: 0 }, null),
  visit: null,
  fetchState: "fetched",
  indexability: "indexable",
  reason,
  also: [],
  robotsLine: null,
  canonical: { links: [], urls: [], url: null, conflicting: false, leadsNowhere: false },
  chain: { hops: [], target: null, end: "unknown" },
  note: null
})

const origin = "https://site.test"

/** A site of twelve indexable pages and other pages. */
const siteOf = (...more: ReadonlyArray<readonly [count: number, reason: HealthReason]>): AnalysedSite => {
  const kinds: typeof more = [[12, "ok"], ...more]
  const pages = kinds.flatMap(([count, reason], kind) =>
    Array.from({ length: count }, (_, index) =>
      pageAt(index + kind === 0 ? `${origin}/` : `${origin}/${kind}/${index}`, reason)
    )
  )
  return {
    start: new URL(`${origin}/`),
    pages,
    find: (url) => pages.find((page) => page.url === url),
    robots: null,
    agents: [],
    mayBeEndless: [],
    globs: {},
    checkExternalLinks: false,
    parts: null,
    externalLinks: null,
    sitemap: null,
    probe: null,
    needsJavascript: null,
    rendering: nothingRendered,
    unseen: new Set(),
    unseenShells: new Set(),
    termination: "complete",
    unlisted: 0,
    traps: [],
    endless: [],
    checkDeadLinks: true,
    isPart: false,
    maxPages: 1000,
    now: 0,
    deadlineMillis: 1000
  }
}

const scored = (site: AnalysedSite, checks: ReadonlyArray<Checked> = []) => scoreOf(ledgerOf(site, checks))

const failing = (rule: Rule, urls: ReadonlyArray<string>): Checked => ({
  rule,
  check: { _tag: "Assessed", assessed: urls.length, failures: urls.map((url) => ({ url, detail: "" })), open: null },
  causes: causesOf([])
})

test("any number of canonicalized variants and action URLs does not count for the score", () => {
  for (const reason of ["canonical_variant", "action_link"] as const) {
    const site = siteOf([200, reason])
    expect(scored(site)).toMatchObject({
      aggregate_score: 100,
      coverage: 1,
      range: { low: 100, high: 100 },
      breakdown: { factor: null, lost: [] }
    })
    for (const { check, id } of scoreFactors)
      expect([id, check(site)]).toMatchObject([id, { _tag: "Assessed", failures: [] }])
  }
})

test("canonicalized pages hide the site when they outnumber the others", () => {
  const site = siteOf([13, "canonical_elsewhere"])
  expect(scored(site).breakdown).toMatchObject({ factor: { name: "mostly_hidden" } })
  expect(scored(siteOf([12, "canonical_elsewhere"])).breakdown).toMatchObject({ factor: null })
})

test("an issue of a page without an element counts on each page: an info on both URLs of twelve pages scores 97", () => {
  const site = siteOf([12, "ok"])
  const [model] = scoreFactors
  if (model === undefined) throw new Error("no rule")
  const { isCharged: _, ...rule } = { ...model, id: "twins", scope: "page", severity: "info" } as const
  const twins = failing(
    rule,
    site.pages.map(({ url }) => url)
  )
  expect(scored(site, [twins]).aggregate_score).toBe(97)
})

test("a crawled start page that is blocked for search engines leaves at most ten points", () => {
  const [model] = scoreFactors
  if (model === undefined) throw new Error("no rule")
  const blocked = failing({ ...model, id: "start_blocked" }, [`${origin}/`])
  expect(scored(siteOf(), [blocked])).toMatchObject({ aggregate_score: 10, status: "poor" })
})
