/** φ(x), the density of the standard normal distribution. */
export const normalDensity = (x: number): number => Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI)

/** Beyond this Φ(x) is 0 or 1 as a double's sums can tell it. */
const furthest = 8

/** Φ(x), the distribution function of the standard normal distribution, by its series ½ + φ(x)·(x + x³/3 + x⁵/(3·5) + …) (DLMF 7.6.2); the error is below 10⁻¹⁴. */
export const normalProbability = (x: number): number => {
  if (x <= -furthest) return 0
  if (x >= furthest) return 1
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

/** The chance that two standard normal variables with this correlation, from 0 to 1, are both above `bound`: an integral over what they share. */
export const bothAbove = (bound: number, correlation: number): number => {
  if (correlation >= 1) return normalProbability(-bound)
  const shared = Math.sqrt(correlation)
  const own = Math.sqrt(1 - correlation)
  const steps = 400
  const width = (2 * furthest) / steps
  let sum = 0
  for (let n = 0; n <= steps; n++) {
    const z = -furthest + n * width
    sum += normalDensity(z) * normalProbability((shared * z - bound) / own) ** 2
  }
  return sum * width
}
