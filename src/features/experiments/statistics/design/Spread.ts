import { criticalT, twoSidedP } from "../../../../foundation/statistics/StudentT.ts"

/** A standard error of θ, the logarithm of 1 + lift, and the degrees of freedom of its Student's t. */
export interface Spread {
  readonly standard_error: number
  readonly degrees_of_freedom: number
}

export const spread = (variance: number, freedom: number): Spread => ({
  standard_error: Math.sqrt(variance),
  degrees_of_freedom: freedom
})

/** The error that decides, and what it is an error of. */
export interface Deciding extends Spread {
  readonly method: "page_jackknife" | "placebo_in_time"
}

/** Half the width of the interval of θ that holds it with probability 1 − `level`. */
export const halfWidth = ({ degrees_of_freedom, standard_error }: Spread, level: number): number =>
  criticalT(degrees_of_freedom, level) * standard_error

/**
 * The error that decides: that of pages where the service assigned them; for chosen pages the one with the wider interval, because only the past of the same
 * choice shows the shocks that its pages share. None for chosen pages without a past.
 */
export const deciding = (assigned: boolean, page: Spread, time: Spread | null, level: number): Deciding | undefined => {
  const ofPages = { ...page, method: "page_jackknife" } as const
  if (assigned) return ofPages
  if (time === null) return undefined
  return halfWidth(time, level) > halfWidth(page, level) ? { ...time, method: "placebo_in_time" } : ofPages
}

/** Differences of logarithms below this are rounding. */
const rounding = 1e-13

/** The two-sided p-value of no effect; pages that all moved alike, to the last bit, leave no error to divide by. */
export const pOf = (theta: number, { degrees_of_freedom, standard_error }: Spread): number =>
  Math.abs(theta) <= rounding ? 1 : twoSidedP(Math.abs(theta) / standard_error, degrees_of_freedom)
