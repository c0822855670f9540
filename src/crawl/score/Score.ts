import type { Severity } from "../report/Finding.ts"
import type { Score, ScoreStatus } from "../report/SiteScore.ts"
import type { Rule } from "../rules/Rule.ts"

/** What one check of an informative, a warning and a critical rule is worth. */
export const weights: Readonly<Record<Severity, number>> = { info: 0, warning: 3, critical: 10 }

/** The outcome of one rule as the score sees it. */
export interface Outcome {
  readonly rule: string
  readonly scope: Rule["scope"]
  readonly severity: Severity
  /** Failing pages or URLs; for a rule about the site 0 or 1. */
  readonly failing: number
  /** Whether what could not be verified may yet make it fail on pages that were assessed. */
  readonly open: boolean
}

/** What the score is computed from. */
export interface ScoreLedger {
  /** Pages read or confirmed as failed. */
  readonly assessedPages: number
  /** Known pages that could not be verified. */
  readonly unverifiedPages: number
  /** Assessed pages that refer to something that could not be verified: all of them when the run was cut short. */
  readonly touchedPages: number
  readonly outcomes: ReadonlyArray<Outcome>
}

const statusOf = (score: number): ScoreStatus => (score >= 90 ? "good" : score >= 50 ? "needs_improvement" : "poor")

const percent = (earned: number, possible: number): number => Math.floor((100 * earned) / possible)

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

/**
 * The score: `⌊100 · earned / possible⌋`, all in whole points.
 *
 * - Every assessed page can earn the weights of all rules of the catalogue (`perPage`), whatever the site contains: a rule that finds nothing to look at is
 *   not broken. So `possible = pages · perPage`, and mending something can never lower the score.
 * - A page that is down (4xx, 5xx, soft 404) loses all of it, booked on the rule that says so.
 * - Of the pages that are up: a `page` rule costs its weight on each failing page, a `url` rule on as many pages as URLs fail it, a `site` rule on every page.
 * - Unverified pages stand outside. `range` says what they could change: `high` adds them as wholly good, `low` as wholly bad and with every open rule failing on
 *   the pages that refer to them.
 */
export const scoreOf = ({ assessedPages, outcomes, touchedPages, unverifiedPages }: ScoreLedger): Score => {
  const perPage = sum(outcomes.map(({ scope, severity }) => (scope === "down" ? 0 : weights[severity])))
  const down = Math.min(assessedPages, sum(outcomes.map(({ failing, scope }) => (scope === "down" ? failing : 0))))
  const up = assessedPages - down
  const failingOn = ({ failing, scope }: Outcome) => (scope === "site" && failing > 0 ? up : Math.min(up, failing))
  const pointsOf = (outcome: Outcome): number =>
    outcome.scope === "down" ? outcome.failing * perPage : weights[outcome.severity] * failingOn(outcome)
  const lost = outcomes
    .map((outcome) => ({ rule: outcome.rule, points: pointsOf(outcome) }))
    .filter(({ points }) => points > 0)
  const atRisk = (outcome: Outcome): number => {
    if (!outcome.open || outcome.scope === "down") return 0
    const healthy = up - failingOn(outcome)
    return weights[outcome.severity] * (outcome.scope === "site" ? healthy : Math.min(healthy, touchedPages))
  }
  const possible = assessedPages * perPage
  const earned = possible - sum(lost.map(({ points }) => points))
  const certain = Math.max(0, earned - sum(outcomes.map(atRisk)))
  const unknown = unverifiedPages * perPage
  const hasData = possible > 0
  const score = hasData ? percent(earned, possible) : null
  const pages = assessedPages + unverifiedPages
  return {
    has_data: hasData,
    aggregate_score: score,
    status: score === null ? null : statusOf(score),
    range: hasData
      ? { low: percent(certain, possible + unknown), high: percent(earned + unknown, possible + unknown) }
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
