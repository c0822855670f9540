import type { Only } from "../frontier/Frontier.ts"
import type { CrawlResult, Verification } from "../report/CrawlResult.ts"
import { evidenceOn, type Finding } from "../report/Finding.ts"
import { reasonWords } from "../report/Labels.ts"
import type { MeasuredPage } from "../report/MeasuredPage.ts"
import { isRendering, isUnseen, scriptsNotRun } from "../report/Rendering.ts"
import { ruleOf } from "../rules/Catalogue.ts"
import { deep } from "../rules/Reach.ts"
import { readInPart } from "../rules/Targets.ts"
import type { Cause } from "./CrawlDiff.ts"
import {
  isEligibleOnly,
  needsChecks,
  needsOthers,
  type RunView,
  scopeOf,
  seesBlocked,
  silenceOn,
  viewOf,
  wasRead
} from "./Diff.ts"

/** Checks that judge a page by its link targets. */
const byLinks: ReadonlySet<string> = new Set([
  "broken_link",
  "link_fragment_missing",
  "link_nofollow_internal",
  "link_to_redirect"
])

/** The part of the site to crawl again for rechecking the issues of some checks, or of all. */
export const affectedBy = ({ findings }: CrawlResult, rules: ReadonlyArray<string> | null): Only => {
  const failing = findings.filter(({ rule, status }) => status === "fail" && (rules?.includes(rule) ?? true))
  const urls = failing.flatMap(({ pages }) => pages)
  const linksOf = failing.flatMap(({ pages, rule }) => (byLinks.has(rule) ? pages : []))
  const checksOf = failing.flatMap(({ pages, rule }) => (needsChecks(rule) ? pages : []))
  return { urls: [...new Set(urls)], linksOf: [...new Set(linksOf)], checksOf: [...new Set(checksOf)] }
}

type Outcome = Pick<Verification, "verdict" | "detail">

const fixed: Outcome = { verdict: "fixed", detail: "" }
const open = (detail: string): Outcome => ({ verdict: "not_assessable", detail })

const words: Readonly<Record<Cause, string>> = {
  not_reached: "the crawl did not reach the URL",
  limit_reached: "the crawl reached its limit before it fetched what the check needs",
  unverified: "a URL that the check needs did not respond",
  rule_not_assessed: "this crawl could not run the check",
  browser_differs: "another version of the browser rendered the page",
  options_differ: "the options differ from those of the earlier crawl",
  not_recorded: "the earlier result is too old"
}

const onlyWhole = "this needs a crawl of the whole site"

/** Site checks that only a crawl of all pages can clear. */
const onlyByWhole: ReadonlySet<string> = new Set(["endless_addresses", "ai_bots_blocked"])

/** Checks that fail for certain only after a whole crawl, each with a page state that disproves the failure. A partial crawl may clear them. */
const clearedBy: ReadonlyMap<string, (page: MeasuredPage) => boolean> = new Map([
  ["orphan_page", (page: MeasuredPage) => page.linked_from_count > 0],
  ["unreachable_page", (page: MeasuredPage) => page.depth !== null],
  ["page_deep", (page: MeasuredPage) => page.depth !== null && page.depth <= deep],
  ["blocked_but_linked", (page: MeasuredPage) => page.health_reason !== "blocked_by_robots"]
])

/** Checks of sitemap entries, which stay open when a sitemap could not be read. */
const needsSitemap = (rule: string): boolean => rule.startsWith("sitemap_lists_")

const ofSite = (now: RunView, own: Finding, category: Finding["category"]): Outcome => {
  if (own.status === "fail") return { verdict: "still_failing", detail: own.evidence.items[0]?.detail ?? "" }
  if (onlyByWhole.has(own.rule)) return open(onlyWhole)
  if (own.status === "not_assessed") return open(own.evidence.reason ?? words.rule_not_assessed)
  return now.gap !== null && needsOthers(own.rule, category) ? open(words[now.gap]) : fixed
}

/** Why a page that no longer fails a check may not count as fixed; null when it may. */
const doubt = (now: RunView, page: MeasuredPage, { category, evidence, rule, status }: Finding): string | null => {
  const isShell = now.finding("needs_javascript")?.status === "fail"
  if (isShell && ruleOf(rule)?.needsRendering === true) return "the site is almost empty without JavaScript"
  const { rendering } = now.result.summary
  if (isRendering(rendering) && isUnseen(page.rendering) && ruleOf(rule)?.needsRendering === true)
    return "the page could not be rendered"
  if (scopeOf(rule) === "page" && !wasRead(page))
    return `the page is no longer there: ${reasonWords[page.health_reason]}`
  if (isEligibleOnly(rule) && page.health_state !== "eligible")
    return `the page is no longer indexable: ${reasonWords[page.health_reason]}`
  if (page.fetch_state === "blocked_by_robots" && !seesBlocked(rule, category)) return "robots.txt blocks the URL"
  if (clearedBy.get(rule)?.(page) === false) return onlyWhole
  if (rule === "page_not_in_sitemap" && status === "not_assessed") return evidence.reason ?? words.rule_not_assessed
  if (rule === "soft_404" && now.finding("missing_page_answers_200")?.status === "not_assessed")
    return "the test request for a missing page got no response"
  const { state } = now.result.summary.sitemap
  if (needsSitemap(rule) && state !== "complete" && state !== "absent")
    return "some sitemaps could not be read completely"
  if (needsChecks(rule) && evidence.reason !== null && evidence.reason !== scriptsNotRun) return evidence.reason
  if (!needsOthers(rule, category)) return null
  if (evidence.reason?.endsWith(readInPart) === true) return evidence.reason
  return now.gap === null ? null : words[now.gap]
}

const ofUrl = (now: RunView, own: Finding, detail: string, url: string): Outcome => {
  if (now.fails(own.rule, url)) return { verdict: "still_failing", detail }
  // An http URL that only redirects to https meets the check.
  const page = now.page(url)
  if (own.rule === "page_over_http" && page?.redirect_to?.startsWith("https:") === true) return fixed
  const silence = silenceOn(now, url)
  if (silence !== null || page === undefined) return open(words[silence ?? "not_reached"])
  const reason = doubt(now, page, own)
  return reason === null ? fixed : open(reason)
}

/**
 * Rechecks the issues of an earlier result by a crawl of their URLs: one verdict for each failing URL of `rules`, or of all checks. A check that compares
 * pages uses the pages of the earlier issue.
 */
export const verify = (
  before: CrawlResult,
  after: CrawlResult,
  rules: ReadonlyArray<string> | null
): ReadonlyArray<Verification> => {
  const now = viewOf(after, before)
  return before.findings.flatMap(({ category, pages, rule, status }) => {
    if (status !== "fail" || rules?.includes(rule) === false) return []
    const own = now.finding(rule)
    if (own === undefined)
      return pages.map((url) => ({ rule, url, ...open("this version of Findable has no such check") }))
    const itemOn = evidenceOn(own)
    const outcome = (url: string) =>
      scopeOf(rule) === "site" ? ofSite(now, own, category) : ofUrl(now, own, itemOn(url)?.detail ?? "", url)
    return pages.map((url) => ({ rule, url, ...outcome(url) }))
  })
}
