import { erfc } from "./Erfc.ts"
import type { Estimate } from "./Estimate.ts"
import * as Ratio from "./Ratio.ts"

/** The 0.975 quantile of the standard normal distribution, 1.959963984540054 as a double, here to 36 digits. */
const CRITICAL = Ratio.make(1_959963984540054235524594430520551529n, 10n ** 36n)

const ALPHA = 0.05

/** The double just below 0.05. */
const BELOW_ALPHA = 0.049999999999999996

/** The two-sided test of "no effect" at the 5 % level, with the 95 % interval that belongs to it. */
interface ZTest {
  readonly pValue: number
  readonly isSignificant: boolean
  readonly lower: number
  readonly upper: number
}

/** Half the width of the 95 % interval of an estimate whose variance is above zero. */
const margin = ({ variance }: Estimate): Ratio.Ratio => Ratio.times(CRITICAL, Ratio.squareRoot(variance))

/** p = erfc(|z|/√2) with z = value/√variance: computed from z²/2, which is exact, so only one root is rounded. */
const twoSidedP = ({ value, variance }: Estimate): number =>
  erfc(Math.sqrt(Ratio.toNumber(Ratio.over(Ratio.times(value, value), Ratio.plus(variance, variance)))))

/** Whether the 95 % interval of a positive estimate reaches zero. */
export const reachesZero = (estimate: Estimate): boolean =>
  estimate.variance.numerator > 0n && Ratio.compare(estimate.value, margin(estimate)) <= 0

/**
 * Tests an estimate whose variance is above zero.
 *
 * "p < 0.05" and "the interval excludes 0" are one statement in mathematics and two in floating point, so it is decided
 * once, on the interval before rounding; a p-value whose last bit disagrees is moved to its side of 0.05.
 */
export const zTest = (estimate: Estimate): ZTest => {
  const half = margin(estimate)
  const lower = Ratio.minus(estimate.value, half)
  const upper = Ratio.plus(estimate.value, half)
  const isSignificant = lower.numerator > 0n || upper.numerator < 0n
  const p = twoSidedP(estimate)
  return {
    pValue: isSignificant ? Math.min(p, BELOW_ALPHA) : Math.max(p, ALPHA),
    isSignificant,
    lower: Ratio.toNumber(lower),
    upper: Ratio.toNumber(upper)
  }
}
