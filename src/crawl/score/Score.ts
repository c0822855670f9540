import type { Severity } from "../report/Finding.ts"
import type { Score, ScoreStatus } from "../report/Score.ts"
import type { Rule } from "../rules/Rule.ts"

/** What one check of an informative, a warning and a critical rule is worth. */
export const weights: Readonly<Record<Severity, number>> = { info: 0, warning: 3, critical: 10 }

/** The outcome of one rule as the score sees it. */
export interface Outcome {
  readonly rule: string
  readonly scope: Rule["scope"]
  readonly severity: Severity
  /** False takes the rule out of the score. */
  readonly assessed: boolean
  /** Failing pages or URLs; for a rule about the site 0 or 1. */
  readonly failing: number
}

/** What the score is computed from. */
export interface Ledger {
  /** Pages read or confirmed as failed. */
  readonly assessedPages: number
  /** Known pages that could not be verified. */
  readonly unverifiedPages: number
  readonly outcomes: ReadonlyArray<Outcome>
}

const statusOf = (score: number): ScoreStatus => (score >= 90 ? "good" : score >= 50 ? "needs_improvement" : "poor")

const percent = (earned: number, possible: number): number => Math.floor((100 * earned) / possible)

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

/**
 * The score: `⌊100 · earned / possible⌋`, all in whole points.
 *
 * - Every assessed page can earn the weights of all rules that were assessed (`perPage`), so `possible = pages · perPage`.
 * - A page that is down (4xx, 5xx, soft 404) loses all of it, booked on the rule that says so.
 * - Of the pages that are up: a `page` rule costs its weight on each failing page, a `url` rule on as many pages as URLs
 *   fail it, a `site` rule on every page.
 * - Rules not assessed and unverified pages stand outside. `range` adds the unverified pages as wholly bad and wholly good.
 */
export const scoreOf = ({ assessedPages, outcomes, unverifiedPages }: Ledger): Score => {
  const counted = outcomes.filter(({ assessed }) => assessed)
  const perPage = sum(counted.flatMap(({ scope, severity }) => (scope === "down" ? [] : [weights[severity]])))
  const down = Math.min(
    assessedPages,
    sum(counted.flatMap(({ failing, scope }) => (scope === "down" ? [failing] : [])))
  )
  const up = assessedPages - down
  const pointsOf = ({ failing, scope, severity }: Outcome): number => {
    if (scope === "down") return failing * perPage
    return weights[severity] * (scope === "site" && failing > 0 ? up : Math.min(up, failing))
  }
  const lost = counted
    .map((outcome) => ({ rule: outcome.rule, points: pointsOf(outcome) }))
    .filter(({ points }) => points > 0)
  const possible = assessedPages * perPage
  const earned = possible - sum(lost.map(({ points }) => points))
  const unknown = unverifiedPages * perPage
  const hasData = possible > 0
  const score = hasData ? percent(earned, possible) : null
  const pages = assessedPages + unverifiedPages
  return {
    has_data: hasData,
    aggregate_score: score,
    status: score === null ? null : statusOf(score),
    range: hasData
      ? { low: percent(earned, possible + unknown), high: percent(earned + unknown, possible + unknown) }
      : { low: 0, high: 100 },
    coverage: pages === 0 ? 0 : Math.floor((10_000 * assessedPages) / pages) / 10_000,
    breakdown: {
      assessed_pages: assessedPages,
      unverified_pages: unverifiedPages,
      possible,
      earned,
      lost
    }
  }
}
