import type { RankingStatus } from "../../../src/features/rankings/Domain.ts"

/** Exact integer totals of one query and page over one window; `sumTop` adds the one-based top position of each impression. */
export interface Sums {
  readonly impressions: number
  readonly clicks: number
  readonly sumTop: number
}

/** The fields of a ranking record from two windows. */
export interface Movement {
  readonly currentPosition: number | null
  readonly previousPosition: number | null
  readonly delta: number
  readonly impressions: number
  readonly clicks: number
  readonly ctr: number
  readonly status: RankingStatus
}

/** A window without impressions. */
export const nothing: Sums = { impressions: 0, clicks: 0, sumTop: 0 }

/** Adds two windows' or two rows' totals. */
export const add = (a: Sums, b: Sums): Sums => ({
  impressions: a.impressions + b.impressions,
  clicks: a.clicks + b.clicks,
  sumTop: a.sumTop + b.sumTop
})

/** The impression-weighted mean position, or null without impressions. */
export const position = (sums: Sums): number | null => (sums.impressions === 0 ? null : sums.sumTop / sums.impressions)

/** previous − current as an exact fraction, so that a change of exactly 1 or 3 is never lost to rounding. */
const fraction = (previous: Sums, current: Sums) => {
  const [pi, ci] = [BigInt(previous.impressions), BigInt(current.impressions)]
  return { over: BigInt(previous.sumTop) * ci - BigInt(current.sumTop) * pi, under: pi * ci }
}

/** Positions gained from the first window to the second (positive = improved); 0 if either has no impressions. */
export const delta = (previous: Sums, current: Sums): number => {
  if (previous.impressions === 0 || current.impressions === 0) return 0
  const exact = fraction(previous, current)
  return Number(exact.over) / Number(exact.under)
}

/** Whether previous − current is at least `positions` (an integer; may be negative), decided exactly; both windows need impressions. */
export const gainedAtLeast = (previous: Sums, current: Sums, positions: number): boolean => {
  const exact = fraction(previous, current)
  return exact.over >= BigInt(positions) * exact.under
}

/** Compares the windows; null if neither has impressions, because there is no record then. */
export const between = (previous: Sums, current: Sums): Movement | null => {
  const status = statusOf(previous, current)
  return status === null
    ? null
    : {
        currentPosition: position(current),
        previousPosition: position(previous),
        delta: delta(previous, current),
        impressions: current.impressions,
        clicks: current.clicks,
        ctr: current.impressions === 0 ? 0 : current.clicks / current.impressions,
        status
      }
}

/** The class of a position change: a whole position either way is a change, less is noise of averaging. */
export const statusOf = (previous: Sums, current: Sums): RankingStatus | null => {
  if (current.impressions === 0) return previous.impressions === 0 ? null : "lost"
  if (previous.impressions === 0) return "new"
  if (gainedAtLeast(previous, current, 1)) return "climbing"
  return gainedAtLeast(current, previous, 1) ? "dropping" : "stable"
}

/** The possible events of a position change. */
export type MovementEvent = "ranking.dropped" | "ranking.climbed"

/** Impressions of a window from which on a change in it is notable. */
export const floor = 10

/**
 * The event for a pair of windows, or null: dropped when the query lost more than 3 positions or vanished, climbed when it
 * rose from beyond position 10 to 4–10. Computed with exact fractions, never with rounded positions.
 */
export const eventOf = (previous: Sums, current: Sums): MovementEvent | null => {
  if (previous.impressions < floor) return null
  if (current.impressions === 0) return "ranking.dropped"
  if (current.impressions < floor) return null
  if (!gainedAtLeast(previous, current, -3)) return "ranking.dropped"
  return isBeyond(previous, 10) && !isBeyond(current, 10) && isAtLeast(current, 4) ? "ranking.climbed" : null
}

const isBeyond = (sums: Sums, place: number) => BigInt(sums.sumTop) > BigInt(place) * BigInt(sums.impressions)

const isAtLeast = (sums: Sums, place: number) => BigInt(sums.sumTop) >= BigInt(place) * BigInt(sums.impressions)
