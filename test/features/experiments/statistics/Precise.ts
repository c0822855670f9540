/**
 * A second implementation of the analysis: decimal fixed-point numbers of hundreds of digits, and erfc by the alternating
 * power series. It shares no code with the module under test.
 */
export interface Counts {
  readonly impressions: number
  readonly conversions: number
}

/** Control before, control after, treatment before, treatment after. */
export type FourCounts = readonly [Counts, Counts, Counts, Counts]

export interface PreciseAnalysis {
  readonly did: number
  /** null where the counterfactual is not positive. */
  readonly lift: number | null
  readonly standardError: number
  readonly z: number
  readonly p: number
  readonly interval: readonly [number, number]
}

const root = (n: bigint): bigint => {
  let guess = 10n ** BigInt(Math.ceil(n.toString().length / 2))
  while (guess * guess > n) guess = (guess + n / guess) / 2n
  return guess
}

const arctangentOfInverse = (k: bigint, one: bigint): bigint => {
  let power = one / k
  let sum = power
  for (let n = 3n, sign = -1n; power > 0n; n += 2n, sign = -sign) {
    power /= k * k
    sum += (sign * power) / n
  }
  return sum
}

interface Scale {
  readonly digits: number
  readonly one: bigint
  readonly rootPi: bigint
}

const scales = new Map<number, Scale>()

/** Fixed-point numbers of so many decimals, with √π from Machin's formula. */
const scaleOf = (digits: number): Scale => {
  const known = scales.get(digits)
  if (known !== undefined) return known
  const one = 10n ** BigInt(digits)
  const pi = 16n * arctangentOfInverse(5n, one) - 4n * arctangentOfInverse(239n, one)
  const made = { digits, one, rootPi: root(pi * one) }
  scales.set(digits, made)
  return made
}

/** Decimals for the exact part of counts up to 2^53, and for terms as large as exp(x²) cancelling down to exp(−x²). */
const scaleFor = (x: number) => scaleOf(350 + 100 * Math.ceil((2 * x * x) / Math.LN10 / 100))

/** Decimal text is parsed with one correct rounding. */
const toDouble = (value: bigint, { digits }: Scale) => (value === 0n ? 0 : Number(`${value}e-${digits}`))

/** A fraction as the nearest double: a last digit says that the division left a remainder, so no truncated fraction looks like a tie between two doubles. */
const nearest = (numerator: bigint, denominator: bigint, { digits, one }: Scale) => {
  const scaled = numerator * one
  return Number(`${scaled / denominator}${scaled % denominator === 0n ? 0 : 1}e-${digits + 1}`)
}

const erfcFixed = (x: bigint, { one, rootPi }: Scale): bigint => {
  const square = (x * x) / one
  let term = x
  let sum = x
  for (let n = 1n; term !== 0n; n++) {
    term = (-term * square) / one / n
    sum += term / (2n * n + 1n)
  }
  return one - (2n * sum * one) / rootPi
}

/** erfc of a double that is 0 or at least 2^-40. */
export const preciseErfc = (x: number): number => {
  const scale = scaleFor(x)
  return toDouble(erfcFixed((BigInt(x * 2 ** 100) * scale.one) >> 100n, scale), scale)
}

/** The 0.975 quantile of the standard normal distribution, to 50 decimals. */
const QUANTILE = 195996398454005423552459443052055152795555007786955n
const QUANTILE_ONE = 10n ** 50n

const twiceSuccesses = ({ conversions }: Counts, adjust: boolean) => 2n * BigInt(conversions) + (adjust ? 1n : 0n)

const twiceTrials = ({ impressions }: Counts, adjust: boolean) => 2n * BigInt(impressions) + (adjust ? 2n : 0n)

/** (pT1 − pT0) − (pC1 − pC0) of rates x/n, or (x+½)/(n+1) when `adjust`, tested against zero. */
export const preciseAnalysis = (counts: FourCounts, adjust: boolean): PreciseAnalysis => {
  const scale = scaleFor(0)
  const { one } = scale
  const cell = (counted: Counts) => {
    const rate = (twiceSuccesses(counted, adjust) * one) / twiceTrials(counted, adjust)
    return { rate, variance: (2n * (rate * (one - rate))) / one / twiceTrials(counted, adjust) }
  }
  const [c0, c1, t0, t1] = [cell(counts[0]), cell(counts[1]), cell(counts[2]), cell(counts[3])]
  // Truncated thirds need not cancel: the effect and the lift come from fractions over the common denominator.
  const [effect, expected, common] = fractions(counts, adjust)
  const did = effect === 0n ? 0n : t1.rate - t0.rate - c1.rate + c0.rate
  const standardError = root((c0.variance + c1.variance + t0.variance + t1.variance) * one)
  const margin = (QUANTILE * standardError) / QUANTILE_ONE
  const z = standardError === 0n ? 0 : toDouble((did * one) / standardError, scale)
  return {
    did: nearest(effect, common, scale),
    lift: expected > 0n ? nearest(100n * effect, expected, scale) : null,
    standardError: toDouble(standardError, scale),
    z,
    p: standardError === 0n || Math.abs(z) > 39 ? 0 : precisePValue(did, standardError, scaleFor(z / Math.SQRT2)),
    interval: [toDouble(did - margin, scale), toDouble(did + margin, scale)]
  }
}

const precisePValue = (did: bigint, standardError: bigint, scale: Scale): number => {
  const magnitude = did < 0n ? -did : did
  const square = (magnitude * magnitude * scale.one) / (2n * standardError * standardError)
  return toDouble(erfcFixed(root(square * scale.one), scale), scale)
}

/** The effect and the expected rate as numerators, and the denominator that all four rates have in common. */
const fractions = (counts: FourCounts, adjust: boolean): readonly [bigint, bigint, bigint] => {
  const [c0, c1, t0, t1] = counts
  const x = (counted: Counts) => twiceSuccesses(counted, adjust)
  const n = (counted: Counts) => twiceTrials(counted, adjust)
  const control = (x(c1) * n(c0) - x(c0) * n(c1)) * n(t0) * n(t1)
  const expected = control + x(t0) * n(t1) * n(c0) * n(c1)
  return [x(t1) * n(t0) * n(c0) * n(c1) - expected, expected, n(c0) * n(c1) * n(t0) * n(t1)]
}
