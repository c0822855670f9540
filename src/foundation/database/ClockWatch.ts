import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** The drift, in milliseconds, that a slow answer or a gradually adjusted clock may cause: less than the time left on the lease of a live holder. */
const tolerance = 5000

/** This process's monotonic clock in milliseconds, which no setting of the time of day moves. */
export const monotonic = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/**
 * Detects that the database's clock was set, or that the machine slept: between two looks it advanced by another time than this process's monotonic
 * clock. Returns the difference in milliseconds, 0 within the tolerance.
 */
export const make = () => {
  let last: { readonly at: number; readonly ticks: number } | undefined
  return (at: number): Effect.Effect<number> =>
    Effect.map(monotonic, (now) => {
      const moved = last === undefined ? 0 : at - last.at - (now - last.ticks)
      last = { at, ticks: now }
      return Math.abs(moved) < tolerance ? 0 : Math.round(moved)
    })
}
