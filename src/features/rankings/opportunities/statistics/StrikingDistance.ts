import type { Interval } from "./BetaInterval.ts"
import { leastImpressions } from "./Spread.ts"
import { lastBin, positionOf, type Sums } from "./Sums.ts"

/** Positions from which the third place is within reach, both inclusive. */
const [nearest, furthest] = [4, lastBin]

/** The place that is aimed at. */
export const target = 3

/** Clicks that a row would gain at the third place, over the window; undefined where it is not within reach, or would gain none. */
export const gainAtTarget = (row: Sums, rate: Interval) => {
  const position = positionOf(row)
  if (position < nearest || position > furthest || row.impressions < leastImpressions) return undefined
  const clicksHigh = Math.max(0, row.impressions * rate.high - row.clicks)
  const clicksLow = Math.max(0, row.impressions * rate.low - row.clicks)
  return clicksHigh === 0 ? undefined : { clicksHigh, clicksLow }
}
