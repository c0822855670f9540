import type { CrawlResult } from "../report/CrawlResult.ts"
import type { MeasuredPage } from "../report/MeasuredPage.ts"
import type { HealthReason } from "../report/States.ts"
import type { CrawlDiff, PageChange, PageState } from "./CrawlDiff.ts"
import { deadLinkDiff } from "./DeadLinkDiff.ts"
import { findingDiff } from "./FindingDiff.ts"
import { type RunView, silenceOn, viewOf } from "./RunView.ts"

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

/** Pages that one run met and another, which had seen the whole site from the same start, did not. */
const missing = (run: RunView, other: RunView): ReadonlyArray<MeasuredPage> =>
  other.gap === null && run.seed === other.seed
    ? run.result.pages.filter(({ url }) => other.page(url) === undefined)
    : []

/** Verdicts that depend on where other URLs lead, which a run that did not see the whole site may not know. */
const wide: ReadonlySet<HealthReason> = new Set([
  "canonical_elsewhere",
  "canonical_variant",
  "redirect_permanent",
  "redirect_temporary",
  "redirect_loop"
])

const isSettled = (run: RunView, { health_reason, health_state, url }: MeasuredPage): boolean =>
  health_state !== "unchecked" && silenceOn(run, url) === null && (run.gap === null || !wide.has(health_reason))

/** A page without a settled verdict in one of the runs is left out. */
const changed = (before: RunView, after: RunView): ReadonlyArray<PageChange> =>
  after.result.pages.flatMap((page) => {
    const old = before.page(page.url)
    if (old === undefined || !isSettled(before, old) || !isSettled(after, page)) return []
    return isEqual(stateOf(old), stateOf(page)) ? [] : [{ url: page.url, before: stateOf(old), after: stateOf(page) }]
  })

/**
 * What changed between two results of one site, from the results alone. `new` and `fixed` are claimed only where both runs looked: fewer pages, other options
 * or a time-out make neither.
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
