import { groupedBy } from "../../foundation/schema/Groups.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import type { Finding } from "../report/Finding.ts"
import type { MeasuredPage } from "../report/MeasuredPage.ts"
import { isOpen } from "../report/States.ts"
import { readInPart } from "../rules/Preconditions.ts"
import type { Cause, DeadLinkUnit } from "./CrawlDiff.ts"

/** One result, indexed for what a comparison asks of it. */
export interface RunView {
  readonly result: CrawlResult
  /** The URL that the run was given. */
  readonly seed: string | undefined
  readonly page: (url: string) => MeasuredPage | undefined
  readonly finding: (rule: string) => Finding | undefined
  readonly fails: (rule: string, url: string) => boolean
  /** Why the run did not see the whole site; null when it did. */
  readonly gap: Cause | null
  /** Results keep every failing URL since scores have their second version; rules of different versions judge differently. */
  readonly isRecorded: boolean
  readonly checksLinks: boolean
  /** Whether it asked for linked pages of other sites. */
  readonly checksElsewhere: boolean
  /** Each dead target with each page that links to it. */
  readonly deadLinks: ReadonlyArray<DeadLinkUnit>
  /** Those that stand on one page. */
  readonly deadLinksOf: (url: string) => ReadonlyArray<DeadLinkUnit>
  /** Where redirects of the run lead. */
  readonly redirectTargets: ReadonlySet<string>
}

/** Sitemaps that did not answer here and did in the other run: what they list is known to one of them only. */
const lacksSitemap = (result: CrawlResult, other: CrawlResult): boolean => {
  const silent = ({ summary }: CrawlResult) =>
    summary.sitemap.files.flatMap(({ state, url }) => (state === "unreachable" ? [url] : []))
  const there = new Set(silent(other))
  return silent(result).some((url) => !there.has(url))
}

/** Of a page that was read in part, what stands behind that part is not known: links that lead to further pages too. */
const hasReadInPart = ({ findings }: CrawlResult): boolean =>
  findings.some(({ evidence }) => evidence.reason?.endsWith(readInPart) === true)

const globsOf = ({ summary: { limits } }: CrawlResult): string =>
  JSON.stringify([limits.exclude, limits.include].map((globs) => [...(globs ?? [])].sort()))

/** Whether a run left out nothing by its options, or just what the other one did. */
const leavesOutSame = (result: CrawlResult, other: CrawlResult): boolean =>
  !result.pages.some(({ health_reason }) => health_reason === "excluded") || globsOf(result) === globsOf(other)

const gapOf = (result: CrawlResult, other: CrawlResult): Cause | null => {
  const { pages, summary } = result
  if (!leavesOutSame(result, other)) return "options_differ"
  if (summary.sitemap.state === "not_read") return "limit_reached"
  if (summary.termination !== "complete" || summary.limits.unlisted_urls > 0) return "limit_reached"
  if (hasReadInPart(result)) return "limit_reached"
  // What a complete run left out are addresses without end, which it leaves out every time.
  const isSilent = pages.some(({ health_reason }) => isOpen(health_reason) && health_reason !== "limit_reached")
  const isUnsure = isSilent || lacksSitemap(result, other)
  return isUnsure ? "unverified" : null
}

const deadLinksOf = ({ summary }: CrawlResult): ReadonlyArray<DeadLinkUnit> =>
  summary.dead_links.items.flatMap(({ all_linked_from, http_status, url }) =>
    all_linked_from.map((from) => ({ url, linked_from: from, http_status }))
  )

/** A result as it is compared with another. */
export const viewOf = (result: CrawlResult, other: CrawlResult): RunView => {
  const pages = new Map(result.pages.map((page) => [page.url, page]))
  const findings = new Map(result.findings.map((finding) => [finding.rule, finding]))
  const failing = new Map(result.findings.map(({ pages, rule }) => [rule, new Set(pages)]))
  const deadLinks = deadLinksOf(result)
  const linking = groupedBy(deadLinks, ({ linked_from }) => linked_from)
  const { score_version: version } = result.score
  return {
    result,
    seed: result.pages[0]?.url,
    page: (url) => pages.get(url),
    finding: (rule) => findings.get(rule),
    fails: (rule, url) => failing.get(rule)?.has(url) ?? false,
    gap: gapOf(result, other),
    isRecorded: version !== 1 && version === other.score.score_version,
    deadLinks,
    deadLinksOf: (url) => linking.get(url) ?? [],
    redirectTargets: new Set(result.pages.flatMap(({ redirect_to }) => redirect_to ?? [])),
    checksLinks: result.summary.dead_links.state !== "disabled",
    checksElsewhere: result.summary.external_links.state !== "disabled"
  }
}

/** A page whose HTML was read and judged. */
export const wasRead = ({ fetch_state, health_state }: MeasuredPage): boolean =>
  fetch_state === "fetched" && (health_state === "eligible" || health_state === "hidden")

/** Why the run has no verdict on a URL: it never met it, or could not judge it; null when it has one. */
export const silenceOn = ({ gap, page }: RunView, url: string): Cause | null => {
  const entry = page(url)
  if (entry === undefined) return gap ?? "not_reached"
  const { fetch_state, health_reason } = entry
  if (health_reason === "excluded") return "options_differ"
  // A limit came first, although robots.txt says of the URL what search engines may not.
  const isUnseen = health_reason === "blocked_by_robots" && fetch_state === "not_fetched"
  if (health_reason === "limit_reached" || isUnseen) return "limit_reached"
  return isOpen(health_reason) ? "unverified" : null
}
