import { atMost } from "./BetaBinomial.ts"
import { intervalOf, sizeOf } from "./BetaInterval.ts"
import { falseDiscoveries, qValues } from "./FalseDiscovery.ts"
import { type Compared, correlationOf } from "./Spread.ts"

/** A row that was tested, and its chance of so few clicks if it were like the others. */
export interface Tested {
  readonly row: Compared
  /** The squared coefficient of variation of the rows of its cell. */
  readonly spread: number
  /** P(K ≤ clicks), from 0 to 1. */
  readonly p: number
}

/** Clicks that a row lacks, over the window. */
export interface Lack {
  readonly row: Compared
  readonly clicksLow: number
  readonly clicksHigh: number
  readonly p: number
  readonly q: number
}

/** Tests a row; undefined where it has at least the clicks that are expected, which is never too few. */
export const assess = (row: Compared, spread: number): Tested | undefined =>
  row.clicks >= row.impressions * row.rate
    ? undefined
    : { p: atMost(row.clicks, row.impressions, row.rate, correlationOf(row, spread)), row, spread }

/** How many clicks a row lacks: the curve's less those of the row's own 95 % interval. */
const lackOf = ({ p, row, spread }: Tested, q: number): Lack => {
  const { clicks, impressions, rate } = row
  const { high, low } = intervalOf(clicks / impressions, sizeOf(impressions, 1, correlationOf(row, spread)))
  return { clicksHigh: impressions * (rate - low), clicksLow: impressions * (rate - high), p, q, row }
}

/** The rows that are clicked too seldom, with false discoveries held at 5 % over all `tests` rows that were compared. */
export const tooFew = (tested: ReadonlyArray<Tested>, tests: number): ReadonlyArray<Lack> => {
  const q = qValues(
    tested.map(({ p }) => p),
    tests
  )
  return tested
    .flatMap((one, at) => {
      const value = q[at] ?? 1
      return value <= falseDiscoveries ? [lackOf(one, value)] : []
    })
    .filter(({ clicksLow }) => clicksLow > 0)
}
