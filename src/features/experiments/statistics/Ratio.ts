/** An exact fraction; the denominator is always positive, the fraction need not be in lowest terms. */
export interface Ratio {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** The fraction `numerator / denominator`, for a denominator above zero. */
export const make = (numerator: bigint, denominator: bigint): Ratio => ({ numerator, denominator })

/** The sum of two fractions. */
export const plus = (a: Ratio, b: Ratio): Ratio =>
  make(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)

/** The first fraction minus the second. */
export const minus = (a: Ratio, b: Ratio): Ratio => plus(a, make(-b.numerator, b.denominator))

/** The product of two fractions. */
export const times = (a: Ratio, b: Ratio): Ratio => make(a.numerator * b.numerator, a.denominator * b.denominator)

/** The first fraction divided by the second, which must be above zero. */
export const over = (a: Ratio, positive: Ratio): Ratio =>
  make(a.numerator * positive.denominator, a.denominator * positive.numerator)

/** -1, 0 or 1 as the first fraction is below, equal to or above the second. */
export const compare = (a: Ratio, b: Ratio): -1 | 0 | 1 => {
  const left = a.numerator * b.denominator
  const right = b.numerator * a.denominator
  return left < right ? -1 : left > right ? 1 : 0
}

const bitLength = (natural: bigint) => natural.toString(2).length

/**
 * The double nearest to a fraction, ties to even; never -0. Correct in the normal range (magnitude 2^-1022 to 2^1023), which counts up to 2^53 − 1 cannot
 * leave.
 */
export const toNumber = ({ denominator, numerator }: Ratio): number => {
  const magnitude = numerator < 0n ? -numerator : numerator
  // A quotient of at least 64 bits has 11 bits below the kept 53; the lowest bit records whether anything was cut off, so the single rounding of Number()
  // knows the true side of a tie.
  const shift = 65 - (bitLength(magnitude) - bitLength(denominator))
  const dividend = shift > 0 ? magnitude << BigInt(shift) : magnitude
  const divisor = shift > 0 ? denominator : denominator << BigInt(-shift)
  const quotient = dividend / divisor
  const inexact = dividend % divisor === 0n ? 0n : 1n
  const rounded = Number(quotient | inexact) * 2 ** -shift
  return numerator < 0n ? -rounded : rounded
}

/** Binary places of a root. Variances here are above 2^-107, so at least 200 places are significant. */
const binaryPlaces = 256n

/** The largest integer with a square up to a positive `n`: Newton's iteration, falling from above the root. */
const integerRoot = (n: bigint): bigint => {
  let root = 1n << BigInt(Math.ceil(n.toString(2).length / 2))
  for (;;) {
    const next = (root + n / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/** The square root of a positive fraction, cut off after 256 binary places. */
export const squareRoot = ({ denominator, numerator }: Ratio): Ratio =>
  make(integerRoot((numerator << (2n * binaryPlaces)) / denominator), 1n << binaryPlaces)
