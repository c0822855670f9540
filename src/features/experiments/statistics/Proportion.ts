import type { Estimate } from "./Estimate.ts"
import * as Ratio from "./Ratio.ts"

/** What one arm did in one period: `conversions` out of at least one `impressions`. */
export interface Cell {
  readonly conversions: bigint
  readonly impressions: bigint
}

/** The binomial proportion p = x/n with its variance p(1−p)/n. */
export const binomial = ({ conversions, impressions }: Cell): Estimate => ({
  value: Ratio.make(conversions, impressions),
  variance: Ratio.make(conversions * (impressions - conversions), impressions ** 3n)
})

/**
 * The adjusted proportion p̃ = (x+½)/(n+1) with variance p̃(1−p̃)/(n+1), which is never zero: R. M. Price and D. G. Bonett,
 * "An improved confidence interval for a linear function of binomial proportions" (2004), for a contrast of four.
 */
export const adjusted = ({ conversions, impressions }: Cell): Estimate => {
  const trials = 2n * (impressions + 1n)
  const successes = 2n * conversions + 1n
  return {
    value: Ratio.make(successes, trials),
    variance: Ratio.make(2n * successes * (trials - successes), trials ** 3n)
  }
}
