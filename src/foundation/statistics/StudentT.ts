import { incompleteBeta } from "./Beta.ts"

/** The two-sided p-value of a t statistic with `freedom` degrees of freedom: I_{ν/(ν+t²)}(ν/2, ½) (DLMF 8.17, Abramowitz & Stegun 26.7.1). */
export const twoSidedP = (t: number, freedom: number): number => {
  const square = t * t
  if (square === Number.POSITIVE_INFINITY) return 0
  return incompleteBeta(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square))
}

/** The t whose two-sided p-value is `level`: halving an interval, which needs no starting guess. */
export const criticalT = (freedom: number, level = 0.05): number => {
  let low = 1.9
  let high = 13
  while (twoSidedP(low, freedom) <= level) low /= 2
  while (twoSidedP(high, freedom) > level) high *= 2
  while (high - low > 1e-14 * high) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) break
    if (twoSidedP(middle, freedom) > level) low = middle
    else high = middle
  }
  return high
}
