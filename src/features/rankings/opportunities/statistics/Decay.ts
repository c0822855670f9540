import { criticalT, twoSidedP } from "../../../../foundation/statistics/Distributions.ts"
import { positionOf, type Sums } from "./Curve.ts"
import { falseDiscoveries, qValues } from "./LowCtr.ts"

/** Clicks that a page needs in the previous window to be assessed. */
export const leastClicks = 20

/** Clicks of a page by week: `before` has up to twelve weeks, with the previous window as the last four; `now` has the newest four. */
export interface Weeks {
  readonly before: ReadonlyArray<number>
  readonly now: ReadonlyArray<number>
}

/** A change between the two windows. */
export interface Change {
  /** Clicks of the previous window. */
  readonly before: number
  /** Clicks of the current window. */
  readonly now: number
  /** ln(now/before), with half a click for none, less the season, the property's change a year ago. */
  readonly theta: number
  /** The standard error of theta. */
  readonly error: number
  /** Degrees of freedom. */
  readonly freedom: number
  /** P(a change at least as low without a real change), from 0 to 1. */
  readonly p: number
}

/** A page with fewer clicks. */
export interface Loss<A> {
  readonly page: A
  /** Clicks lost over the window, by the ends of the 95 % interval. */
  readonly clicksLow: number
  readonly clicksHigh: number
  readonly p: number
  readonly q: number
  /** Whether chance alone is an unlikely reason. */
  readonly isSignificant: boolean
}

const sumOf = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0)

/** Squared relative deviations of weeks from their mean, and their expectation by Poisson's law; empty for weeks without clicks. */
const deviations = (weeks: ReadonlyArray<number>) => {
  const mean = sumOf(weeks) / weeks.length
  if (!(mean > 0)) return { expected: 0, freedom: 0, squares: 0 }
  const freedom = weeks.length - 1
  return { expected: freedom / mean, freedom, squares: sumOf(weeks.map((week) => (week / mean - 1) ** 2)) }
}

/** The variation of weeks beyond chance, as a squared coefficient of variation, and its degrees of freedom. */
export interface Variation {
  readonly freedom: number
  readonly variance: number
}

/** The variation of a page's weeks beyond chance (a squared coefficient of variation) about the mean of each window, and its degrees of freedom. */
export const weekly = ({ before, now }: Weeks): Variation => {
  const [then, newest] = [deviations(before), deviations(now)]
  const freedom = then.freedom + newest.freedom
  const squares = then.squares + newest.squares - then.expected - newest.expected
  return { freedom, variance: freedom === 0 ? 0 : Math.max(0, squares / freedom) }
}

/** P(T ≤ t) of Student's t, from 0 to 1. */
const below = (t: number, freedom: number) => {
  const half = twoSidedP(t, freedom) / 2
  return t < 0 ? half : 1 - half
}

/**
 * Student's t of the change from the previous four weeks to the newest four: ln(K₁/K₀) over √(1/K₁ + 1/K₀ + τ²/2), the variances of Poisson and of weeks,
 * because each window is a mean of four. `season` is subtracted from the change: a negative ln ratio if the whole property drops alike every year.
 */
export const changeOf = (weeks: Weeks, season = 0): Change =>
  changeBetween(sumOf(weeks.before.slice(-4)), sumOf(weeks.now), weekly(weeks), season)

/** Student's t of the change between the clicks of two windows of four weeks, by the variation of weeks. */
export const changeBetween = (
  before: number,
  now: number,
  { freedom, variance }: Variation,
  season: number
): Change => {
  const theta = Math.log(Math.max(0.5, now) / Math.max(0.5, before)) - season
  const error = Math.sqrt(1 / Math.max(0.5, now) + 1 / Math.max(0.5, before) + variance / 2)
  return { before, error, freedom, now, p: freedom === 0 ? 1 : below(theta / error, freedom), theta }
}

/** Clicks lost over a window: the previous window's clicks, less the share that the interval of the change leaves. */
const lossOf = <A>(page: A, { before, error, freedom, p, theta }: Change, season: number, q: number): Loss<A> => {
  const half = criticalT(freedom) * error
  const lost = (change: number) => Math.max(0, before * Math.exp(season) * -Math.expm1(change))
  return {
    clicksHigh: lost(theta - half),
    clicksLow: lost(theta + half),
    isSignificant: q <= falseDiscoveries,
    p,
    page,
    q
  }
}

/** Pages with fewer clicks than before, among pages with at least 20; of the significant ones at most 5 % are expected to be chance. */
export const fewerThanBefore = <A>(pages: ReadonlyArray<readonly [A, Weeks]>, season = 0): ReadonlyArray<Loss<A>> => {
  const tested = pages.flatMap(([page, weeks]) => {
    const change = changeOf(weeks, season)
    return change.before < leastClicks ? [] : [{ change, page }]
  })
  const q = qValues(tested.map(({ change }) => change.p))
  return tested.flatMap(({ change, page }, at) => {
    return change.theta < 0 ? [lossOf(page, change, season, q[at] ?? 1)] : []
  })
}

/** The pages that lost clicks significantly. */
export const fallen = <A>(...of: Parameters<typeof fewerThanBefore<A>>): ReadonlyArray<Loss<A>> =>
  fewerThanBefore(...of).filter(({ isSignificant }) => isSignificant)

/** The causes of a change of clicks: parts that add up to the change exactly. */
export interface Parts {
  /** The part by impressions. */
  readonly demand: number
  /** The part by position, through the curve. */
  readonly position: number
  /** The rest: a changed CTR at an equal position. */
  readonly ctr: number
}

/** The weight that turns the logarithm of a ratio of clicks into their difference (the logarithmic mean; B. Ang, 2005). */
const logMean = (before: number, now: number) =>
  before === now ? before : (now - before) / Math.log(Math.max(0.5, now) / Math.max(0.5, before))

/**
 * Splits a change of clicks by the log mean: clicks are impressions × the curve's rate at the position × the rest. `rate` is the curve. A page without
 * impressions lost all clicks by demand.
 */
export const partsOf = (before: Sums, now: Sums, rate: (position: number) => number): Parts => {
  const change = now.clicks - before.clicks
  if (now.impressions === 0 || before.impressions === 0) return { ctr: 0, demand: change, position: 0 }
  const mean = logMean(before.clicks, now.clicks)
  const [then, since] = [rate(positionOf(before)), rate(positionOf(now))]
  const demand = mean * Math.log(now.impressions / before.impressions)
  const position = then > 0 && since > 0 ? mean * Math.log(since / then) : 0
  return { ctr: change - demand - position, demand, position }
}
