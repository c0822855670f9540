/** Coefficients of Lanczos's approximation of ln Γ for g = 7 (P. Godfrey, 2001), with an error near the last bit. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7
] as const

const halfLogOf2Pi = 0.5 * Math.log(2 * Math.PI)

/** ln Γ(x) for x > 0, with an error of a few units in the last place of the larger of 1 and the result. */
export const logGamma = (x: number): number => {
  if (x < 0.5) return logGamma(x + 1) - Math.log(x)
  const shifted = x - 1
  const series = LANCZOS.reduce((sum, c, n) => (n === 0 ? c : sum + c / (shifted + n)), 0)
  const t = shifted + 7.5
  return halfLogOf2Pi + (shifted + 0.5) * Math.log(t) - t + Math.log(series)
}

/** From here on the series of Stirling is exact to the last bit. */
const asymptotic = 12

/** The error of Stirling's formula: ln Γ(x) − ((x − ½)·ln x − x + ½·ln 2π) for x > 0 (DLMF 5.11.1). */
export const stirlingError = (x: number): number => {
  if (x < asymptotic) return logGamma(x) - (x - 0.5) * Math.log(x) + x - halfLogOf2Pi
  const square = 1 / (x * x)
  const series = 1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188))))
  return series / x
}

/** ln(1 + u) − u, without cancellation for small u; `ratio` is 1 + u, and is used when far from 1. */
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
 * ln(xᵃ·yᵇ / B(a, b)) with y = 1 − x, for a, b > 0 and 0 < x < 1. Stirling's formula about the mean of the distribution avoids cancellation for large a and b
 * (C. Loader, Fast and Accurate Computation of Binomial Probabilities, 2000).
 */
export const logPower = (a: number, b: number, x: number, y: number): number => {
  const sum = a + b
  const far = x < y ? x - a / sum : b / sum - y
  const exponent = a * logLess((far * sum) / a, x * (sum / a)) + b * logLess((-far * sum) / b, y * (sum / b))
  const stirling = stirlingError(sum) - stirlingError(a) - stirlingError(b)
  return exponent + stirling + 0.5 * (Math.log(a) + Math.log(b / sum) - Math.log(2 * Math.PI))
}

/** The most terms of the fraction, which takes about the root of the larger parameter. */
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
 * The x with I_x(a, b) = p, for a, b > 0 and 0 < p < 1. Newton's method for ln I over ln(x / (1 − x)), because I is nearly a power of x in its tail. An
 * interval holds the root, and is halved when a step would leave it.
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

/** φ(x), the density of the standard normal distribution. */
const normalDensity = (x: number): number => Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI)

/** Beyond this x, Φ(x) is 0 or 1 within the precision of double sums. */
const normalLimit = 8

/** Φ(x), the distribution function of the standard normal distribution, by its series ½ + φ(x)·(x + x³/3 + x⁵/(3·5) + …) (DLMF 7.6.2); the error is below 10⁻¹⁴. */
export const normalProbability = (x: number): number => {
  if (x <= -normalLimit) return 0
  if (x >= normalLimit) return 1
  let term = x
  let sum = x
  for (let n = 3; n < 500; n += 2) {
    const before = sum
    term *= (x * x) / n
    sum += term
    if (sum === before) break
  }
  return 0.5 + sum * normalDensity(x)
}

/** The chance that two standard normal variables with this correlation, from 0 to 1, are both above `bound`: an integral over their common part. */
export const bothAbove = (bound: number, correlation: number): number => {
  if (correlation >= 1) return normalProbability(-bound)
  const shared = Math.sqrt(correlation)
  const own = Math.sqrt(1 - correlation)
  const steps = 400
  const width = (2 * normalLimit) / steps
  let sum = 0
  for (let n = 0; n <= steps; n++) {
    const z = -normalLimit + n * width
    sum += normalDensity(z) * normalProbability((shared * z - bound) / own) ** 2
  }
  return sum * width
}

/** The two-sided p-value of a t statistic with `freedom` degrees of freedom: I_{ν/(ν+t²)}(ν/2, ½) (DLMF 8.17, Abramowitz & Stegun 26.7.1). */
export const twoSidedP = (t: number, freedom: number): number => {
  const square = t * t
  if (square === Number.POSITIVE_INFINITY) return 0
  return incompleteBeta(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square))
}

/** The t with the two-sided p-value `level`, by bisection, which needs no starting guess. */
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
