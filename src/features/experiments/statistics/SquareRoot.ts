import * as Ratio from "./Ratio.ts"

/** Binary places of a root. Variances here are above 2^-107, so at least 200 of them are significant. */
const PLACES = 256n

/** The largest integer whose square does not exceed a positive `n`: Newton's iteration, falling from above the root. */
const integerRoot = (n: bigint): bigint => {
  let root = 1n << BigInt(Math.ceil(n.toString(2).length / 2))
  for (;;) {
    const next = (root + n / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/** The square root of a positive fraction, cut off after 256 binary places. */
export const squareRoot = ({ denominator, numerator }: Ratio.Ratio): Ratio.Ratio =>
  Ratio.make(integerRoot((numerator << (2n * PLACES)) / denominator), 1n << PLACES)
