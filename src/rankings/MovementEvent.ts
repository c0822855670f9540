import * as Movement from "./Movement.ts"

/** The events that a movement may cause. */
export type MovementEvent = "ranking.dropped" | "ranking.climbed"

/** Impressions that a window needs before a change in it is news rather than noise. */
export const floor = 10

/**
 * The event of a pair of windows, or null: dropped when more than 3 positions were lost or the query vanished, climbed
 * when it came from beyond position 10 to within 4 to 10. Decided on exact fractions, never on rounded positions.
 */
export const of = (previous: Movement.Sums, current: Movement.Sums): MovementEvent | null => {
  if (previous.impressions < floor) return null
  if (current.impressions === 0) return "ranking.dropped"
  if (current.impressions < floor) return null
  if (!Movement.gainedAtLeast(previous, current, -3)) return "ranking.dropped"
  return isBeyond(previous, 10) && !isBeyond(current, 10) && isAtLeast(current, 4) ? "ranking.climbed" : null
}

const isBeyond = (sums: Movement.Sums, place: number) => BigInt(sums.sumTop) > BigInt(place) * BigInt(sums.impressions)

const isAtLeast = (sums: Movement.Sums, place: number) =>
  BigInt(sums.sumTop) >= BigInt(place) * BigInt(sums.impressions)
