import type { Bin } from "./Sums.ts"

/** Click-through rate as a power of position: rate = exp(level)·position^slope. */
export interface PowerLaw {
  /** ln of the rate at position 1. */
  readonly level: number
  readonly slope: number
}

/** The chance of a click at a position, from 0 to 1; 0 everywhere where no law is known. */
export const rateOf = (law: PowerLaw | null, position: number): number =>
  law === null ? 0 : Math.min(1, Math.exp(law.level + law.slope * Math.log(position)))

/**
 * The law that fits bins best by weighted least squares of ln CTR on ln position. The weight of a bin is its clicks, since ln CTR has a variance of about
 * 1/clicks (Poisson). Bins without clicks have no weight. With one bin alone the law is constant; without any click there is none.
 */
export const fit = (bins: ReadonlyArray<Bin>): PowerLaw | null => {
  let [weight, x, y] = [0, 0, 0]
  for (const { clicks, impressions, top } of bins) {
    if (clicks <= 0) continue
    weight += clicks
    x += clicks * Math.log(top / impressions)
    y += clicks * Math.log(clicks / impressions)
  }
  if (weight === 0) return null
  const [meanX, meanY] = [x / weight, y / weight]
  let [squares, products] = [0, 0]
  for (const { clicks, impressions, top } of bins) {
    if (clicks <= 0) continue
    const far = Math.log(top / impressions) - meanX
    squares += clicks * far * far
    products += clicks * far * (Math.log(clicks / impressions) - meanY)
  }
  const slope = squares <= weight * 1e-12 ? 0 : products / squares
  return { level: meanY - slope * meanX, slope }
}
