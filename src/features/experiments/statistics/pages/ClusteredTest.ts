import { criticalT, twoSidedP } from "../../../../foundation/statistics/StudentT.ts"
import type { Linearised } from "./Linearised.ts"
import { ALPHA, type PageTest } from "./PageTest.ts"

/** The double just below 0.05. */
const BELOW_ALPHA = 0.049999999999999996

/**
 * Tests the effect against its jackknife standard error over pages, by Student's t with as many degrees of freedom as the smaller arm has pages, less
 * one. Whether it is significant is decided once, on the interval; a p-value whose last bits disagree is moved to its side of 0.05.
 */
export const clusteredTest = ({ variance }: Linearised, effect: number, pages: number): PageTest => {
  const error = Math.sqrt(variance)
  const margin = criticalT(pages - 1) * error
  const lower = effect - margin
  const upper = effect + margin
  const isSignificant = lower > 0 || upper < 0
  const p = twoSidedP(effect / error, pages - 1)
  return {
    method: "page_clustered",
    pValue: isSignificant ? Math.min(p, BELOW_ALPHA) : Math.max(p, ALPHA),
    isSignificant,
    lower,
    upper,
    isPowerless: false
  }
}
