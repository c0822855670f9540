import { stirlingError } from "./Gamma.ts"

/** ln(1 + u) − u, without cancellation where u is small; `ratio` is 1 + u, computed without it where it is far from 1. */
const logLess = (u: number, ratio: number): number => {
  if (Math.abs(u) > 0.3) return Math.log(ratio) - u
  // ln((1 + r)/(1 − r)) = 2·(r + r³/3 + r⁵/5 + …) at r = u/(2 + u), and 2r − u = −u·r.
  const r = u / (2 + u)
  const square = r * r
  let term = r * square
  let sum = 0
  for (let n = 3; n < 80; n += 2) {
    const before = sum
    sum += term / n
    if (sum === before) break
    term *= square
  }
  return 2 * sum - u * r
}

/**
 * ln(xᵃ·yᵇ / B(a, b)) with y = 1 − x, for a, b > 0 and 0 < x < 1. By Stirling's formula about the mean of the distribution, so that large a and b do not
 * cancel (C. Loader, Fast and Accurate Computation of Binomial Probabilities, 2000).
 */
export const logPower = (a: number, b: number, x: number, y: number): number => {
  const sum = a + b
  const far = x < y ? x - a / sum : b / sum - y
  const exponent = a * logLess((far * sum) / a, x * (sum / a)) + b * logLess((-far * sum) / b, y * (sum / b))
  const stirling = stirlingError(sum) - stirlingError(a) - stirlingError(b)
  return exponent + stirling + 0.5 * (Math.log(a) + Math.log(b / sum) - Math.log(2 * Math.PI))
}

/** Terms after which the fraction ends; it takes about the root of the larger parameter. */
const terms = 100_000

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
  for (let m = 1; m <= terms; m++) {
    const before = value
    step((m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)))
    step((-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)))
    if (Math.abs(value - before) <= Number.EPSILON * value) break
  }
  return value
}

/** The regularised incomplete beta function I_x(a, b); `y` is 1 − x, which the caller computes without cancellation. */
export const incompleteBeta = (a: number, b: number, x: number, y: number): number => {
  if (x <= 0) return 0
  if (y <= 0) return 1
  // The fraction converges fast below the mean of the distribution; beyond it I_x(a, b) = 1 − I_y(b, a).
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, y, x)
  return (Math.exp(logPower(a, b, x, y)) * fraction(a, b, x)) / a
}

/** ln(x / y) beyond which x or y is 0 as a double. */
const furthest = 700

/**
 * The x with I_x(a, b) = p, for a, b > 0 and 0 < p < 1. Newton's method for ln I over ln(x / (1 − x)), where I is nearly a power of x in its tail, inside an
 * interval that holds the root and is halved where a step would leave it.
 */
export const betaQuantile = (p: number, a: number, b: number): number => {
  if (p > 0.5) return 1 - betaQuantile(1 - p, b, a)
  let [low, high] = [-furthest, furthest]
  let at = Math.log(a / b)
  for (let round = 0; round < 200 && high - low > 1e-14; round++) {
    const x = 1 / (1 + Math.exp(-at))
    const y = 1 / (1 + Math.exp(at))
    const value = incompleteBeta(a, b, x, y)
    if (value > p) high = at
    else low = at
    const step = ((Math.log(value) - Math.log(p)) * value) / Math.exp(logPower(a, b, x, y))
    const next = at - step
    if (Math.abs(step) <= 1e-15 * Math.max(1, Math.abs(at))) break
    at = next > low && next < high ? next : (low + high) / 2
  }
  return at <= -furthest + 1 ? 0 : 1 / (1 + Math.exp(-at))
}
