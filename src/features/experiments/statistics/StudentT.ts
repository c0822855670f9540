/** Coefficients of Lanczos's approximation of ln Γ for g = 7 (P. Godfrey, 2001), with an error near the last bit. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7
] as const

/** ln Γ(x) for x ≥ ½. */
const logGamma = (x: number): number => {
  const shifted = x - 1
  const series = LANCZOS.reduce((sum, c, n) => (n === 0 ? c : sum + c / (shifted + n)), 0)
  const t = shifted + 7.5
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(series)
}

/** The continued fraction of the incomplete beta function (DLMF 8.17.22), by the modified Lentz method. */
const fraction = (a: number, b: number, x: number): number => {
  let c = 1
  let d = 1 / (1 - ((a + b) * x) / (a + 1))
  let value = d
  const step = (numerator: number) => {
    d = 1 / (1 + numerator * d)
    c = 1 + numerator / c
    value *= c * d
  }
  for (let m = 1; m <= 1_000; m++) {
    const before = value
    step((m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)))
    step((-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)))
    if (Math.abs(value - before) <= Number.EPSILON * value) break
  }
  return value
}

/** The regularised incomplete beta function I_x(a, b); `y` is 1 − x, which the caller computes without cancellation. */
const incompleteBeta = (a: number, b: number, x: number, y: number): number => {
  if (x <= 0) return 0
  if (y <= 0) return 1
  // The fraction converges fast below the mean of the distribution; beyond it I_x(a, b) = 1 − I_y(b, a).
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, y, x)
  const front = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(y)
  return (Math.exp(front) * fraction(a, b, x)) / a
}

/** The two-sided p-value of a t statistic with `freedom` degrees of freedom: I_{ν/(ν+t²)}(ν/2, ½) (DLMF 8.17, Abramowitz & Stegun 26.7.1). */
export const twoSidedP = (t: number, freedom: number): number => {
  const square = t * t
  if (square === Number.POSITIVE_INFINITY) return 0
  return incompleteBeta(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square))
}

/** The t whose two-sided p-value is 0.05: halving an interval, which needs no starting guess. */
export const criticalT = (freedom: number): number => {
  let low = 1.9
  let high = 13
  while (high - low > 1e-14 * high) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) break
    if (twoSidedP(middle, freedom) > 0.05) low = middle
    else high = middle
  }
  return high
}
