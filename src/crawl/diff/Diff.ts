import { groupedBy } from "../../foundation/schema/Steps.ts"
import type { CrawlResult } from "../report/CrawlResult.ts"
import { type Category, unitsOf as evidenceUnits, type Finding } from "../report/Finding.ts"
import { type HealthReason, isOpen, type MeasuredPage } from "../report/MeasuredPage.ts"
import { isRendering, scriptsNotRun } from "../report/Rendering.ts"
import { ruleOf } from "../rules/Catalogue.ts"
import type { Rule } from "../rules/Rule.ts"
import { readInPart } from "../rules/Targets.ts"
import { inPart } from "../visit/Visit.ts"
import type { Cause, CrawlDiff, DeadLinkUnit, FindingUnit, PageChange, PageState, Side } from "./CrawlDiff.ts"

/** The issues of one of two crawls. */
interface Named<U> {
  readonly named: ReadonlyArray<U>
  /** Why the other crawl leaves the issue open: null when the issue is not there, undefined when the other crawl has it too. */
  readonly open: (unit: U) => Cause | null | undefined
}

/** Sorts every issue of either crawl into exactly one of four lists. */
const sorted = <U extends object>(before: Named<U>, after: Named<U>) => {
  const not_comparable: Array<U & { readonly cause: Cause; readonly found_in: Side }> = []
  /** Splits a crawl's issues into issues of both crawls and issues that the other crawl certainly lacks. */
  const divided = ({ named, open }: Named<U>, found_in: Side) => {
    const both: Array<U> = []
    const own: Array<U> = []
    for (const unit of named) {
      const cause = open(unit)
      if (cause === undefined) both.push(unit)
      else if (cause === null) own.push(unit)
      else not_comparable.push({ ...unit, cause, found_in })
    }
    return { both, own }
  }
  const now = divided(after, "after")
  const old = divided(before, "before")
  return { new: now.own, fixed: old.own, persisting: now.both, not_comparable }
}

/** One result, indexed for comparison. */
export interface RunView {
  readonly result: CrawlResult
  /** The start URL of the crawl. */
  readonly seed: string | undefined
  readonly page: (url: string) => MeasuredPage | undefined
  readonly finding: (rule: string) => Finding | undefined
  readonly fails: (rule: string, url: string) => boolean
  /** Why the crawl did not see the whole site; null when it did. */
  readonly gap: Cause | null
  /** Results keep every failing URL since score version 2; checks of different versions give different results. */
  readonly isRecorded: boolean
  readonly checksLinks: boolean
  /** Whether the crawl requested linked pages of other sites. */
  readonly checksElsewhere: boolean
  /** Each broken target with each page that links to it. */
  readonly deadLinks: ReadonlyArray<DeadLinkUnit>
  /** The broken links on one page. */
  readonly deadLinksOf: (url: string) => ReadonlyArray<DeadLinkUnit>
  /** Targets of the crawl's redirects. */
  readonly redirectTargets: ReadonlySet<string>
}

/** Whether a sitemap answered only in the other crawl, so that only that crawl knows its URLs. */
const lacksSitemap = (result: CrawlResult, other: CrawlResult): boolean => {
  const silent = ({ summary }: CrawlResult) =>
    summary.sitemap.files.flatMap(({ state, url }) => (state === "unreachable" ? [url] : []))
  const there = new Set(silent(other))
  return silent(result).some((url) => !there.has(url))
}

/** Whether the crawl read a page only in part: the rest may link to further pages. */
const hasReadInPart = ({ findings }: CrawlResult): boolean =>
  findings.some(({ evidence }) => evidence.reason?.endsWith(readInPart) === true)

const globsOf = ({ summary: { limits } }: CrawlResult): string =>
  JSON.stringify([limits.exclude, limits.include].map((globs) => [...(globs ?? [])].sort()))

/** Whether the crawl's options excluded nothing, or equal the other crawl's options. */
const leavesOutSame = (result: CrawlResult, other: CrawlResult): boolean =>
  !result.pages.some(({ health_reason }) => health_reason === "excluded") || globsOf(result) === globsOf(other)

const gapOf = (result: CrawlResult, other: CrawlResult): Cause | null => {
  const { pages, summary } = result
  if (!leavesOutSame(result, other)) return "options_differ"
  if (summary.sitemap.state === "not_read") return "limit_reached"
  if (summary.termination !== "complete" || summary.limits.unlisted_urls > 0) return "limit_reached"
  if (hasReadInPart(result)) return "limit_reached"
  // A complete crawl leaves out only endless URLs, and does so every time.
  const isSilent = pages.some(({ health_reason }) => isOpen(health_reason) && health_reason !== "limit_reached")
  const isUnsure = isSilent || lacksSitemap(result, other)
  return isUnsure ? "unverified" : null
}

const deadLinksOf = ({ summary }: CrawlResult): ReadonlyArray<DeadLinkUnit> =>
  summary.dead_links.items.flatMap(({ all_linked_from, http_status, url }) =>
    all_linked_from.map((from) => ({ url, linked_from: from, http_status }))
  )

/** A result, prepared for comparison with another. */
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

/** Whether the page's HTML was read and checked. */
export const wasRead = ({ fetch_state, health_state }: MeasuredPage): boolean =>
  fetch_state === "fetched" && (health_state === "eligible" || health_state === "hidden")

/** Why the crawl has no verdict on a URL: it never met the URL, or could not check it; null when it has one. */
export const silenceOn = ({ gap, page }: RunView, url: string): Cause | null => {
  const entry = page(url)
  if (entry === undefined) return gap ?? "not_reached"
  const { fetch_state, health_reason } = entry
  if (health_reason === "excluded") return "options_differ"
  // A limit came first: only robots.txt gives the verdict on this URL.
  const isUnseen = health_reason === "blocked_by_robots" && fetch_state === "not_fetched"
  if (health_reason === "limit_reached" || isUnseen) return "limit_reached"
  return isOpen(health_reason) ? "unverified" : null
}

/** Whether scripts changed a page before the crawl checked it. */
const isScripted = ({ page }: RunView, url: string): boolean => {
  const rendering = page(url)?.rendering ?? null
  return rendering?.state === "rendered" && (rendering.differences.length > 0 || rendering.redirect !== null)
}

/** Why the scripts of a page may have other results in the other crawl, though the site is the same; null when they may not. */
const scriptCause = (run: RunView, other: RunView, url: string): Cause | null => {
  if (!isScripted(run, url) && !isScripted(other, url)) return null
  const [one, two] = [run.result.summary.rendering, other.result.summary.rendering]
  if (isRendering(one) !== isRendering(two)) return "options_differ"
  return one.browser !== null && two.browser !== null && one.browser !== two.browser ? "browser_differs" : null
}

/** Whether scripts may change the result of a check. */
const needsScripts = (rule: string): boolean => {
  const known = ruleOf(rule)
  return known?.needsRendering === true || known?.onlyRendered === true
}

type Lists = CrawlDiff["dead_links"]

const keyOf = ({ linked_from, url }: DeadLinkUnit): string => `${url}\n${linked_from}`

const unitsOf = ({ deadLinks }: RunView): ReadonlyMap<string, DeadLinkUnit> =>
  new Map(deadLinks.map((unit) => [keyOf(unit), unit]))

const answers = ({ page }: RunView, url: string): boolean => {
  const entry = page(url)
  return (
    entry !== undefined && entry.health_state !== "unchecked" && entry.http_status !== null && entry.http_status < 400
  )
}

/** Whether the crawl knows every link of a page that it read. */
const knowsLinks = ({ finding, result }: RunView, linker: MeasuredPage): boolean =>
  linker.evidence?.note !== inPart &&
  result.summary.limits.unlisted_urls === 0 &&
  finding("needs_javascript")?.status !== "fail"

/**
 * Whether a link that `run` does not name is gone or works: null when it is, else why that is open. A link that may have led through a redirect is only gone
 * in a crawl that saw the targets of all redirects.
 */
const isGone = (run: RunView, { linked_from, url }: DeadLinkUnit, mayRedirect: boolean): Cause | null => {
  if (answers(run, url)) return null
  const silence = silenceOn(run, linked_from)
  if (silence !== null) return silence
  const linker = run.page(linked_from)
  if (linker === undefined || !wasRead(linker)) return "rule_not_assessed"
  if (run.result.summary.dead_links.state !== "complete" && !knowsLinks(run, linker)) return run.gap ?? "limit_reached"
  if (mayRedirect && run.gap !== null) return run.gap
  const target = run.page(url)
  // A fetched page names all its links: an unknown target is not linked, and every link to a broken target is known.
  if (target === undefined || target.health_state === "failed") return null
  return silenceOn(run, url) ?? "rule_not_assessed"
}

const causeOf = (run: RunView, other: RunView, unit: DeadLinkUnit, side: Side): Cause | null => {
  if (!run.isRecorded || !other.isRecorded) return "not_recorded"
  if (run.seed !== other.seed || !other.checksLinks) return "options_differ"
  const ofScripts = scriptCause(run, other, unit.linked_from)
  if (ofScripts !== null) return ofScripts
  const cause = isGone(other, unit, run.redirectTargets.has(unit.url))
  return side === "after" && cause === "not_reached" ? null : cause
}

/**
 * Why `other` leaves open whether the broken links of a page are gone, for a page that only `run` names under `broken_link`: null when all are gone,
 * undefined when `run` kept none of them.
 */
const brokenLinkCause = (run: RunView, other: RunView, url: string, side: Side): Cause | null | undefined => {
  const links = run.deadLinksOf(url)
  if (links.length === 0) return undefined
  const there = new Set(other.deadLinksOf(url).map(keyOf))
  const causes = links.map((link) => (there.has(keyOf(link)) ? "rule_not_assessed" : causeOf(run, other, link, side)))
  return causes.find((cause) => cause !== null) ?? null
}

/** Sorts every broken link of either crawl (a target with a linking page) into exactly one of the four lists. */
const deadLinkDiff = (before: RunView, after: RunView): Lists => {
  const [old, now] = [unitsOf(before), unitsOf(after)]
  return sorted(
    {
      named: [...old.values()],
      open: (unit) => (now.has(keyOf(unit)) ? undefined : causeOf(before, after, unit, "before"))
    },
    {
      named: [...now.values()],
      open: (unit) => (old.has(keyOf(unit)) ? undefined : causeOf(after, before, unit, "after"))
    }
  )
}

/** The scope of a check; an unknown check counts as a page check. */
export const scopeOf = (rule: string): Rule["scope"] => ruleOf(rule)?.scope ?? "page"

/** Categories with checks that need other URLs too (unless a check says otherwise), so an unseen part of the site may change the result. */
const crossing: ReadonlySet<Category> = new Set(["links", "canonicals", "redirects", "international", "sitemaps"])

/** Checks that apply to URLs that robots.txt blocks. */
export const seesBlocked = (rule: string, category: Category): boolean =>
  category === "sitemaps" || rule === "blocked_but_linked"

/** Whether the check of a URL needs more than its own response. */
export const needsOthers = (rule: string, category: Category): boolean => {
  const restsOn = ruleOf(rule)?.restsOn
  return restsOn === undefined ? crossing.has(category) : restsOn === "others" || restsOn === "confirmed"
}

/** Whether the check of a URL needs URLs outside the crawled pages. */
export const needsChecks = (rule: string): boolean => ruleOf(rule)?.restsOn === "checks"

/** Whether a failure holds in a partial crawl too, because the check names a confirmed error. */
const isCertain = (rule: string): boolean => ruleOf(rule)?.restsOn === "confirmed"

/** Whether a check looks only at indexable pages. */
export const isEligibleOnly = (rule: string): boolean => ruleOf(rule)?.eligibleOnly === true

type FindingLists = CrawlDiff["findings"]

/** A check of the whole site fails once, for any start URL. */
const named = ({ finding, fails }: RunView, { rule, url }: FindingUnit): boolean =>
  scopeOf(rule) === "site" ? finding(rule)?.status === "fail" : fails(rule, url)

/** Null when the crawl applied the check to the URL and it passed, else why that is uncertain. */
const passes = (run: RunView, { category, rule, url }: FindingUnit): Cause | null => {
  const { finding, gap, page } = run
  const own = finding(rule)
  const isOff =
    (rule === "broken_link" && !run.checksLinks) || (rule === "external_link_broken" && !run.checksElsewhere)
  const closed = isOff ? "options_differ" : (gap ?? "rule_not_assessed")
  const scope = scopeOf(rule)
  const wider = needsOthers(rule, category) ? gap : null
  if (scope === "site") return own === undefined || own.status === "not_assessed" ? closed : wider
  const silence = silenceOn(run, url)
  if (silence !== null) return silence
  if (own === undefined) return "rule_not_assessed"
  const entry = page(url)
  if (entry === undefined) return "not_reached"
  if (scope === "page" && !wasRead(entry)) return "rule_not_assessed"
  if (isEligibleOnly(rule) && entry.health_state !== "eligible") return "rule_not_assessed"
  if (entry.fetch_state === "blocked_by_robots" && !seesBlocked(rule, category)) return "rule_not_assessed"
  const { reason } = own.evidence
  return own.status === "not_assessed" || (reason !== null && reason !== scriptsNotRun) ? closed : wider
}

/** An issue on a URL that did not answer may come and go with the network. */
const isVague = ({ page }: RunView, { url }: FindingUnit): boolean => {
  const reason = page(url)?.health_reason
  return reason !== undefined && isOpen(reason)
}

/** Why `other` does not decide whether an issue that only `run` names is new or fixed. */
const findingCause = (run: RunView, other: RunView, unit: FindingUnit, side: Side): Cause | null => {
  if (!run.isRecorded || !other.isRecorded) return "not_recorded"
  if (run.seed !== other.seed) return "options_differ"
  const ofScripts = needsScripts(unit.rule) ? scriptCause(run, other, unit.url) : null
  if (ofScripts !== null) return ofScripts
  if (isVague(run, unit)) return "unverified"
  if (run.gap !== null && needsOthers(unit.rule, unit.category) && !isCertain(unit.rule)) return run.gap
  const cause = passes(other, unit)
  // Known links decide the result of their page, even in a partial crawl.
  const ofLinks =
    cause !== null && unit.rule === "broken_link" ? brokenLinkCause(run, other, unit.url, side) : undefined
  if (ofLinks !== undefined) return ofLinks
  // A new URL in a crawl after a crawl of the whole site has only new issues.
  const isNewUrl = side === "after" && cause === "not_reached"
  return isNewUrl ? null : cause
}

/** Sorts every issue of either crawl into exactly one of the four lists. */
const findingDiff = (before: RunView, after: RunView): FindingLists =>
  sorted(
    {
      named: evidenceUnits(before.result.findings),
      open: (unit) => (named(after, unit) ? undefined : findingCause(before, after, unit, "before"))
    },
    {
      named: evidenceUnits(after.result.findings),
      open: (unit) => (named(before, unit) ? undefined : findingCause(after, before, unit, "after"))
    }
  )

const scoreDiff = ({ score: before }: CrawlResult, { score: after }: CrawlResult): CrawlDiff["score"] => {
  const [old, now] = [before.aggregate_score, after.aggregate_score]
  const isSame = before.score_version === after.score_version
  return isSame && old !== null && now !== null ? { before: old, after: now, delta: now - old } : null
}

const stateOf = (page: MeasuredPage): PageState => ({
  http_status: page.http_status,
  health_state: page.health_state,
  health_reason: page.health_reason,
  indexability_state: page.indexability_state,
  title: page.title,
  canonical_url: page.canonical_url,
  redirect_to: page.redirect_to
})

const isEqual = (a: PageState, b: PageState): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Pages of one crawl that the other, a crawl of the whole site from the same start, did not meet. */
const missing = (run: RunView, other: RunView): ReadonlyArray<MeasuredPage> =>
  other.gap === null && run.seed === other.seed
    ? run.result.pages.filter(({ url }) => other.page(url) === undefined)
    : []

/** Verdicts that depend on other URLs, which a partial crawl may not know. */
const wide: ReadonlySet<HealthReason> = new Set([
  "canonical_elsewhere",
  "canonical_variant",
  "redirect_permanent",
  "redirect_temporary",
  "redirect_loop"
])

/** A canonicalized page is indexable when its canonical leads nowhere. */
const isWide = ({ canonical_url, health_reason, url }: MeasuredPage): boolean =>
  wide.has(health_reason) || (canonical_url !== null && canonical_url !== url)

const isSettled = (run: RunView, page: MeasuredPage): boolean =>
  page.health_state !== "unchecked" && silenceOn(run, page.url) === null && (run.gap === null || !isWide(page))

/** Changed pages; a page without a settled verdict in one of the crawls is left out. */
const changed = (before: RunView, after: RunView): ReadonlyArray<PageChange> =>
  after.result.pages.flatMap((page) => {
    const old = before.page(page.url)
    if (old === undefined || !isSettled(before, old) || !isSettled(after, page)) return []
    return isEqual(stateOf(old), stateOf(page)) ? [] : [{ url: page.url, before: stateOf(old), after: stateOf(page) }]
  })

/**
 * The differences between two results of one site. An issue is `new` or `fixed` only where both crawls looked: fewer pages, other options or a time-out make
 * neither.
 */
export const diffOf = (before: CrawlResult, after: CrawlResult): CrawlDiff => {
  const [old, now] = [viewOf(before, after), viewOf(after, before)]
  return {
    score: scoreDiff(before, after),
    findings: findingDiff(old, now),
    pages: {
      added: missing(now, old).map((page) => ({ url: page.url, before: null, after: stateOf(page) })),
      removed: missing(old, now).map((page) => ({ url: page.url, before: stateOf(page), after: null })),
      changed: changed(old, now)
    },
    dead_links: deadLinkDiff(old, now)
  }
}
