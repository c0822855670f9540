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

/** What Stirling's formula lacks: ln Γ(x) − ((x − ½)·ln x − x + ½·ln 2π) for x > 0 (DLMF 5.11.1). */
export const stirlingError = (x: number): number => {
  if (x < asymptotic) return logGamma(x) - (x - 0.5) * Math.log(x) + x - halfLogOf2Pi
  const square = 1 / (x * x)
  const series = 1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188))))
  return series / x
}
