import * as Ratio from "./Ratio.ts"

/** An estimated rate, or a difference of rates, with the variance of that estimate; both exact. */
export interface Estimate {
  readonly value: Ratio.Ratio
  readonly variance: Ratio.Ratio
}

/** The sum of two independent estimates. */
export const plus = (a: Estimate, b: Estimate): Estimate => ({
  value: Ratio.plus(a.value, b.value),
  variance: Ratio.plus(a.variance, b.variance)
})

/** The difference of two independent estimates: the values are subtracted, the variances still add. */
export const minus = (a: Estimate, b: Estimate): Estimate => ({
  value: Ratio.minus(a.value, b.value),
  variance: Ratio.plus(a.variance, b.variance)
})
