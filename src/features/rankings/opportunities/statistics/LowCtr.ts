import { betaQuantile, logPower } from "../../../../foundation/statistics/Distributions.ts"
import { type Bin, binOf, type Curve, curveWithout, lastBin, positionOf, rateAt, type Sums } from "./Curve.ts"

/** ln P(K = k) of the beta-binomial, through binomial and beta densities at the mean of a beta distribution, which avoids cancellation of large numbers. */
const logTerm = (k: number, n: number, a: number, b: number): number => {
  const x = (k + a) / (n + a + b)
  const y = (n - k + b) / (n + a + b)
  const binomial = logPower(k + 1, n - k + 1, x, y) - Math.log(x) - Math.log(y) - Math.log(n + 1)
  return binomial + logPower(a, b, x, y) - logPower(k + a, n - k + b, x, y)
}

/**
 * P(K ≤ k) of `n` draws with a chance from a beta distribution with mean `rate` and intraclass correlation `alike` (0 < both < 1); 1 for `alike` 1, which says
 * nothing. The terms are added from the k-th down, each computed from the previous one.
 */
export const atMost = (k: number, n: number, rate: number, alike: number): number => {
  if (alike >= 1 || k >= n) return 1
  const size = 1 / alike - 1
  const [a, b] = [rate * size, (1 - rate) * size]
  let term = 1
  let sum = 1
  for (let j = k; j > 0; j--) {
    term *= (j * (n - j + b)) / ((n - j + 1) * (j - 1 + a))
    const before = sum
    sum += term
    if (sum === before) break
  }
  return Math.min(1, Math.exp(logTerm(k, n, a, b) + Math.log(sum)))
}

/** The fewest impressions of an assessed row. */
export const leastImpressions = 50

/** The fewest expected clicks of an assessed row. */
const leastExpected = 5

/** The median of χ² with one degree of freedom, as rounded by the definition. */
const medianOfSquares = 0.455

/** The least squared coefficient of variation, because rows of one position never have exactly equal rates. */
const least = 0.01

/** The largest spread; beyond it a row says nothing. */
const most = 1e9

/** A row, compared with the curve of the other rows. */
export interface Compared extends Sums {
  /** The key of the row among the compared rows. */
  readonly key: number
  /** The curve's rate at the row's position, from 0 to 1. */
  readonly rate: number
  /** 1/clicks of the other rows in its bin; infinite without clicks. */
  readonly inverse: number
  /** Σn²/(Σn)² over the other rows in its bin. */
  readonly share: number
}

/** A row with its sums and its key. */
export interface Row extends Sums {
  readonly key: number
}

/** Compares a row with the curve without the row. Undefined for rows that are not assessed: too few impressions or expected clicks, or beyond position 20. */
export const compare = (curve: Curve, row: Row): Compared | undefined => {
  const position = positionOf(row)
  if (row.impressions < leastImpressions || position > lastBin) return undefined
  const others = curveWithout(curve, row)
  const rate = rateAt(others, position)
  if (row.impressions * rate < leastExpected || rate >= 1) return undefined
  const bin = others.bins.find((one) => one.position === binOf(position))
  const isKnown = bin !== undefined && bin.clicks > 0
  return {
    ...row,
    inverse: isKnown ? 1 / bin.clicks : Number.POSITIVE_INFINITY,
    rate,
    share: isKnown ? bin.squares / bin.impressions ** 2 : 0
  }
}

/**
 * The likeness of a row's impressions, from 0 to 1 (the intraclass correlation ρ of a beta-binomial): with `variance`, the squared coefficient of variation of
 * rates, ρ = variance·e/(1 − e + variance·e).
 */
export const correlation = (variance: number, rate: number): number =>
  variance >= most ? 1 : (variance * rate) / (1 - rate + variance * rate)

/** ρ of a row, from the spread of rows about the curve and the error of the curve. */
const correlationOf = ({ inverse, rate, share }: Compared, spread: number): number =>
  correlation(spread * (1 + share) + inverse, rate)

/** The spread that makes a row's squared deviation equal the median of χ². */
const spreadOf = ({ clicks, impressions, inverse, rate, share }: Compared): number => {
  const square = (clicks - impressions * rate) ** 2 / (impressions * rate * (1 - rate))
  const alike = (square / medianOfSquares - 1) / (impressions - 1)
  if (alike >= 1) return most
  return ((alike * (1 - rate)) / (rate * (1 - alike)) - inverse) / (1 + share)
}

/** The value at a rank of sorted values; between two ranks, the mean of both neighbours. */
const atRank = (sorted: Float64Array, rank: number) => {
  const last = sorted.length - 1
  const place = Math.min(last, Math.max(0, rank - 0.5))
  return ((sorted[Math.floor(place)] ?? least) + (sorted[Math.ceil(place)] ?? least)) / 2
}

/** The spreads of rows with other rows' clicks in the bin. A comparison with neighbouring bins alone says nothing about the spread. */
const spreadsOf = (rows: ReadonlyArray<Compared>) =>
  Float64Array.from(
    rows.filter(({ inverse }) => inverse < most),
    spreadOf
  ).sort()

/**
 * τ², the squared coefficient of variation of rows about their curve, equal at every position, at least 0.01. With this τ² the median of the rows' squared
 * deviations, each divided by its variance, is the median of χ². Each deviation falls as the spread grows, so τ² is the median of the rows' spreads.
 */
export const spreadAbout = (rows: ReadonlyArray<Compared>): number => {
  const spreads = spreadsOf(rows)
  return spreads.length === 0 ? least : Math.max(least, atRank(spreads, spreads.length / 2))
}

/** τ² raised by half a standard error of the median, because few rows estimate it poorly. */
const higher = (spreads: Float64Array) =>
  spreads.length === 0 ? least : Math.max(least, atRank(spreads, spreads.length / 2 + Math.sqrt(spreads.length) / 4))

/** The fewest rows of a cell with its own estimate of the spread. */
const enough = 50

/**
 * τ² for tests of a cell's rows. With the measured τ², 8 % of lists of 40 rows without a problem would name one; with the raised τ² about 2 %, and for a
 * thousand rows τ is only 2 % larger. A cell of few rows takes the τ² of `all` cells of its device, if greater.
 */
export const cautiousSpread = (cell: ReadonlyArray<Compared>, all: ReadonlyArray<Compared>): number => {
  const own = spreadsOf(cell)
  return own.length >= enough ? higher(own) : Math.max(higher(own), higher(spreadsOf(all)))
}

/** A 95 % interval of a rate, from 0 to 1. */
export interface Interval {
  readonly low: number
  readonly high: number
}

const tail = 0.025

/**
 * The 95 % interval of a rate that was measured with the weight of `size` independent impressions: the quantiles of the beta distribution with `rate·size` and
 * `(1 − rate)·size`. Without a click, or without an unclicked impression, the interval is one-sided (Clopper and Pearson, 1934).
 */
export const intervalOf = (rate: number, size: number): Interval => {
  if (size <= 0) return { high: 1, low: 0 }
  if (rate <= 0) return { high: 1 - tail ** (1 / size), low: 0 }
  if (rate >= 1) return { high: 1, low: tail ** (1 / size) }
  const [a, b] = [rate * size, (1 - rate) * size]
  return { high: betaQuantile(1 - tail, a, b), low: betaQuantile(tail, a, b) }
}

/** The weight of impressions in `rows` clusters (the design effect; L. Kish, 1965). */
export const sizeOf = (impressions: number, rows: number, alike: number): number =>
  impressions / (1 + Math.max(0, impressions / rows - 1) * alike)

/** A bin of a curve in responses. */
export interface Point extends Bin {
  readonly rate: number
  readonly interval: Interval
}

/** The points of a curve, each with its 95 % interval, for rows with the `spread` (τ²) about it. */
export const pointsOf = (curve: Curve, spread: number): ReadonlyArray<Point> =>
  curve.bins.map((bin, at) => {
    const rate = curve.knots[at]?.rate ?? rateAt(curve, bin.position)
    const size = sizeOf(bin.impressions, bin.rows, correlation(spread, rate))
    return { ...bin, interval: intervalOf(rate, size), rate }
  })

/** The accepted share of false discoveries in lists. */
export const falseDiscoveries = 0.05

/**
 * Benjamini and Hochberg (1995): q-values of p-values, in their order. Of the tests with q ≤ 0.05 at most 5 % are expected to be false. `tests` is the number
 * of all tests, including tests without significance that `p` leaves out.
 */
export const qValues = (p: ReadonlyArray<number>, tests: number = p.length): ReadonlyArray<number> => {
  const order = Uint32Array.from(p.keys()).sort((a, b) => (p[a] ?? 1) - (p[b] ?? 1))
  const q = new Array<number>(p.length).fill(1)
  let least = 1
  for (let rank = order.length; rank > 0; rank--) {
    const at = order[rank - 1] ?? 0
    least = Math.min(least, ((p[at] ?? 1) * tests) / rank)
    q[at] = least
  }
  return q
}

/** A tested row, and the chance of so few clicks if it were like the others. */
export interface Tested {
  readonly row: Compared
  /** The squared coefficient of variation of the rows of its cell. */
  readonly spread: number
  /** P(K ≤ clicks), from 0 to 1. */
  readonly p: number
}

/** Missing clicks of a row over the window. */
export interface Lack {
  readonly row: Compared
  readonly clicksLow: number
  readonly clicksHigh: number
  readonly p: number
  readonly q: number
  /** Whether chance alone is an unlikely reason. */
  readonly isSignificant: boolean
}

/** Tests a row; undefined for a row with at least the expected clicks. */
export const assess = (row: Compared, spread: number): Tested | undefined =>
  row.clicks >= row.impressions * row.rate
    ? undefined
    : { p: atMost(row.clicks, row.impressions, row.rate, correlationOf(row, spread)), row, spread }

/** The missing clicks of a row: the curve's clicks less the clicks of the row's 95 % interval. */
const lackOf = ({ p, row, spread }: Tested, q: number): Lack => {
  const { clicks, impressions, rate } = row
  const { high, low } = intervalOf(clicks / impressions, sizeOf(impressions, 1, correlationOf(row, spread)))
  const clicksLow = impressions * (rate - high)
  const isSignificant = q <= falseDiscoveries && clicksLow > 0
  return { clicksHigh: impressions * (rate - low), clicksLow: Math.max(0, clicksLow), isSignificant, p, q, row }
}

/** Rows with fewer clicks than expected; of the significant ones at most 5 % are expected to be chance, over all `tests` compared rows. */
export const fewer = (tested: ReadonlyArray<Tested>, tests: number): ReadonlyArray<Lack> => {
  const q = qValues(
    tested.map(({ p }) => p),
    tests
  )
  return tested.map((one, at) => lackOf(one, q[at] ?? 1))
}

/** The rows with significantly too few clicks. */
export const tooFew = (...of: Parameters<typeof fewer>): ReadonlyArray<Lack> =>
  fewer(...of).filter(({ isSignificant }) => isSignificant)

/** The most rows in a list without significance. */
export const mostUncertain = 1000

/** The significant rows, and of the others those with the most clicks to gain or lost. */
export const limited = <A extends { readonly isSignificant: boolean; readonly clicksHigh: number }>(
  rows: ReadonlyArray<A>
): ReadonlyArray<A> => [
  ...rows.filter(({ isSignificant }) => isSignificant),
  ...rows
    .filter(({ isSignificant }) => !isSignificant)
    .toSorted((a, b) => b.clicksHigh - a.clicksHigh)
    .slice(0, mostUncertain)
]

/** Positions with the third place within reach, both inclusive. */
const [nearest, furthest] = [4, lastBin]

/** The target position. */
export const target = 3

/** Clicks that a row would gain at the third place, over the window; undefined for rows out of reach, or without a gain. */
export const gainAtTarget = (row: Sums, rate: Interval) => {
  const position = positionOf(row)
  if (position < nearest || position > furthest || row.impressions < leastImpressions) return undefined
  const clicksHigh = Math.max(0, row.impressions * rate.high - row.clicks)
  const clicksLow = Math.max(0, row.impressions * rate.low - row.clicks)
  return clicksHigh === 0 ? undefined : { clicksHigh, clicksLow }
}
