import { betaQuantile } from "../../../../foundation/statistics/Beta.ts"
import { type Curve, rateAt } from "./Curve.ts"
import { correlation } from "./Spread.ts"
import type { Bin } from "./Sums.ts"

/** A 95 % interval of a rate, from 0 to 1. */
export interface Interval {
  readonly low: number
  readonly high: number
}

const tail = 0.025

/**
 * The 95 % interval of a rate that was measured with the weight of `size` independent impressions: the quantiles of the beta distribution with `rate·size`
 * and `(1 − rate)·size`. Where no impression or every one was clicked these have a limit of one side alone (Clopper and Pearson, 1934).
 */
export const intervalOf = (rate: number, size: number): Interval => {
  if (size <= 0) return { high: 1, low: 0 }
  if (rate <= 0) return { high: 1 - tail ** (1 / size), low: 0 }
  if (rate >= 1) return { high: 1, low: tail ** (1 / size) }
  const [a, b] = [rate * size, (1 - rate) * size]
  return { high: betaQuantile(1 - tail, a, b), low: betaQuantile(tail, a, b) }
}

/** What impressions weigh that come in `rows` of like ones (the design effect of clusters; L. Kish, 1965). */
export const sizeOf = (impressions: number, rows: number, alike: number): number =>
  impressions / (1 + Math.max(0, impressions / rows - 1) * alike)

/** A bin of a curve as it is answered. */
export interface Point extends Bin {
  readonly rate: number
  readonly interval: Interval
}

/** The points of a curve, each with its 95 % interval for rows that spread by `spread` (τ²) about it. */
export const pointsOf = (curve: Curve, spread: number): ReadonlyArray<Point> =>
  curve.bins.map((bin, at) => {
    const rate = curve.knots[at]?.rate ?? rateAt(curve, bin.position)
    const size = sizeOf(bin.impressions, bin.rows, correlation(spread, rate))
    return { ...bin, interval: intervalOf(rate, size), rate }
  })
