import { criticalT, twoSidedP } from "../../../../foundation/statistics/Distributions.ts"
import { positionOf, type Sums } from "./Curve.ts"
import { falseDiscoveries, qValues } from "./LowCtr.ts"

/** Clicks that a page needs in the previous window to be assessed. */
export const leastClicks = 20

/** Clicks of a page by week: `before` up to twelve weeks, of which the last four are the previous window, `now` the newest four. */
export interface Weeks {
  readonly before: ReadonlyArray<number>
  readonly now: ReadonlyArray<number>
}

/** A change between the two windows. */
export interface Change {
  /** Clicks of the previous window. */
  readonly before: number
  /** Clicks of the current one. */
  readonly now: number
  /** ln(now/before), with half a click for none; less the season, which is what the property itself did a year ago. */
  readonly theta: number
  /** The standard error of theta. */
  readonly error: number
  /** Degrees of freedom. */
  readonly freedom: number
  /** P(a change as low as this, when nothing changed), from 0 to 1. */
  readonly p: number
}

/** A page whose clicks fell. */
export interface Loss<A> {
  readonly page: A
  /** Clicks lost over the window, by the ends of the 95 % interval. */
  readonly clicksLow: number
  readonly clicksHigh: number
  readonly p: number
  readonly q: number
}

const sumOf = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0)

/** Squared relative deviations of weeks from their mean, and what Poisson's law gives them; nothing for weeks without clicks. */
const deviations = (weeks: ReadonlyArray<number>) => {
  const mean = sumOf(weeks) / weeks.length
  if (!(mean > 0)) return { expected: 0, freedom: 0, squares: 0 }
  const freedom = weeks.length - 1
  return { expected: freedom / mean, freedom, squares: sumOf(weeks.map((week) => (week / mean - 1) ** 2)) }
}

/** How much weeks vary beyond chance, as a squared coefficient of variation, and its degrees of freedom. */
export interface Variation {
  readonly freedom: number
  readonly variance: number
}

/** How much weeks of a page vary beyond chance (a squared coefficient of variation), about the mean of each window, and its degrees of freedom. */
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
 * Student's t of the change between the last four weeks before and the newest four: ln(K₁/K₀) over √(1/K₁ + 1/K₀ + τ²/2), which is Poisson's variance and
 * that of weeks, each window being a mean of four. `season` is taken off the change: a negative ln ratio where the whole property falls alike every year.
 */
export const changeOf = (weeks: Weeks, season = 0): Change =>
  changeBetween(sumOf(weeks.before.slice(-4)), sumOf(weeks.now), weekly(weeks), season)

/** The same from clicks of four weeks to clicks of four others, by how much weeks vary. */
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

/** Clicks lost over a window: those of the window before, less the share that the interval of the change leaves. */
const lossOf = <A>(page: A, { before, error, freedom, p, theta }: Change, season: number, q: number): Loss<A> => {
  const half = criticalT(freedom) * error
  const lost = (change: number) => Math.max(0, before * Math.exp(season) * -Math.expm1(change))
  return { clicksHigh: lost(theta - half), clicksLow: lost(theta + half), p, page, q }
}

/** The pages that lost clicks, of those with at least 20 before, with false discoveries held at 5 %. */
export const fallen = <A>(pages: ReadonlyArray<readonly [A, Weeks]>, season = 0): ReadonlyArray<Loss<A>> => {
  const tested = pages.flatMap(([page, weeks]) => {
    const change = changeOf(weeks, season)
    return change.before < leastClicks ? [] : [{ change, page }]
  })
  const q = qValues(tested.map(({ change }) => change.p))
  return tested.flatMap(({ change, page }, at) => {
    const value = q[at] ?? 1
    return value <= falseDiscoveries && change.theta < 0 ? [lossOf(page, change, season, value)] : []
  })
}

/** Why clicks changed: parts that add up to the change exactly. */
export interface Parts {
  /** By impressions: how often the page was shown. */
  readonly demand: number
  /** By what the curve gives at another position. */
  readonly position: number
  /** The rest: clicked more or less often at the same position. */
  readonly ctr: number
}

/** The weight of logarithms that turns a ratio of clicks into their difference (the logarithmic mean; B. Ang, 2005). */
const logMean = (before: number, now: number) =>
  before === now ? before : (now - before) / Math.log(Math.max(0.5, now) / Math.max(0.5, before))

/**
 * Splits a change of clicks by the log mean: clicks are impressions × the curve's rate at the position × the rest. `rate` is the curve. A page that is no
 * longer shown lost all by demand.
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
