import { seededRandom } from "../../../../src/features/experiments/statistics/PageTest.ts"

/** Draws from the distributions of a panel of pages; the same seed gives the same draws. */
export class Random {
  /** From 0 to 1. */
  readonly uniform: () => number
  private spare: number | undefined

  constructor(seed: number) {
    this.uniform = seededRandom(seed)
  }

  /** G. Marsaglia's polar method. */
  normal(): number {
    if (this.spare !== undefined) {
      const { spare } = this
      this.spare = undefined
      return spare
    }
    for (;;) {
      const u = 2 * this.uniform() - 1
      const v = 2 * this.uniform() - 1
      const square = u * u + v * v
      if (square >= 1 || square === 0) continue
      const factor = Math.sqrt((-2 * Math.log(square)) / square)
      this.spare = v * factor
      return u * factor
    }
  }

  /** G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables" (2000). */
  gamma(shape: number): number {
    if (shape < 1) return this.gamma(shape + 1) * this.uniform() ** (1 / shape)
    const d = shape - 1 / 3
    const c = 1 / Math.sqrt(9 * d)
    for (;;) {
      const x = this.normal()
      const v = (1 + c * x) ** 3
      if (v > 0 && Math.log(this.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
    }
  }

  beta(a: number, b: number): number {
    const x = this.gamma(a)
    return x / (x + this.gamma(b))
  }

  /** Exact for small means; from 30 on rounded from the normal distribution. */
  poisson(mean: number): number {
    if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()))
    const limit = Math.exp(-mean)
    let count = 0
    for (let product = this.uniform(); product > limit; product *= this.uniform()) count += 1
    return count
  }

  /** Exact for few trials; with a variance above 30 rounded from the normal distribution, between them by its Poisson limit. */
  binomial(trials: number, rate: number): number {
    const variance = trials * rate * (1 - rate)
    if (variance > 30) {
      return Math.min(trials, Math.max(0, Math.round(trials * rate + Math.sqrt(variance) * this.normal())))
    }
    if (trials >= 50 && rate < 0.2) return Math.min(trials, this.poisson(trials * rate))
    let count = 0
    for (let trial = 0; trial < trials; trial++) if (this.uniform() < rate) count += 1
    return count
  }
}
