/** Enough for full precision from x = 1 on, where the fraction converges slowest. */
const FRACTION_TERMS = 200

/** From here on erfc(x) is below half the smallest double. */
const UNDERFLOW = 27.3

/** The power series of DLMF 7.6.2 (Abramowitz & Stegun 7.1.6): all terms are positive, so nothing cancels. */
const erfBySeries = (x: number): number => {
  let term = x
  let sum = x
  for (let n = 1; term > sum * Number.EPSILON * 0.1; n++) {
    term *= (2 * x * x) / (2 * n + 1)
    sum += term
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum
}

/** √π·exp(x²)·erfc(x) by the continued fraction of Abramowitz & Stegun 7.1.14 (DLMF 7.9.1), evaluated from its end. */
const scaledByFraction = (x: number): number => {
  let tail = x
  for (let n = FRACTION_TERMS; n > 0; n--) tail = x + n / 2 / tail
  return 1 / tail
}

const erfcByFraction = (x: number): number => {
  // exp() turns an absolute error of x² into a relative one: with 24 bits in `head`, head² is exact and the rest is small.
  const head = Math.fround(x)
  const exponential = Math.exp(-head * head) * Math.exp((head - x) * (head + x))
  return (exponential * scaledByFraction(x)) / Math.sqrt(Math.PI)
}

/** The complementary error function, 2/√π·∫ₓ^∞ exp(−t²)dt, with a relative error below 1e-14 while it is a normal double. */
export const erfc = (x: number): number => {
  if (x < 0) return 2 - erfc(-x)
  if (x < 1) return 1 - erfBySeries(x)
  return x > UNDERFLOW ? 0 : erfcByFraction(x)
}
