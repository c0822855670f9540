import { positionOf, type Sums } from "./Sums.ts"

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
