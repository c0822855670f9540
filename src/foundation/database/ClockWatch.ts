import * as Effect from "effect/Effect"
import * as Monotonic from "../schema/Monotonic.ts"

/** The drift, in milliseconds, that a slow answer or a gradually adjusted clock may cause: less than the time left on the lease of a live holder. */
const tolerance = 5000

/**
 * Detects that the database's clock was set, or that the machine slept: between two looks it advanced by another time than this process's monotonic
 * clock. Returns the difference in milliseconds, 0 within the tolerance.
 */
export const make = () => {
  let last: { readonly at: number; readonly ticks: number } | undefined
  return (at: number): Effect.Effect<number> =>
    Effect.map(Monotonic.now, (now) => {
      const moved = last === undefined ? 0 : at - last.at - (now - last.ticks)
      last = { at, ticks: now }
      return Math.abs(moved) < tolerance ? 0 : Math.round(moved)
    })
}
