import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** What a slow answer or a clock that is adjusted bit by bit may amount to, in milliseconds: less than a lease has left when its holder lives. */
const tolerance = 5000

const ticks = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/**
 * Notices that the database's clock was set, or that the machine slept: between two looks it went on by another time than this process's monotonic
 * clock. Answers by how many milliseconds, 0 when it was not.
 */
export const make = () => {
  let last: { readonly at: number; readonly ticks: number } | undefined
  return (at: number): Effect.Effect<number> =>
    Effect.map(ticks, (now) => {
      const moved = last === undefined ? 0 : at - last.at - (now - last.ticks)
      last = { at, ticks: now }
      return Math.abs(moved) < tolerance ? 0 : Math.round(moved)
    })
}
