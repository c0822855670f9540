/** Platform adapter: turns of the runtime's event loop, in which long work makes room for the rest of its process. */
import * as Effect from "effect/Effect"
import { pause } from "../schema/Steps.ts"

/** Until pending input was read and timers that are due ran. */
const endOfTurn = Effect.async<void>((resume) => {
  const next = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(next))
})

/** Milliseconds that a turn of the event loop takes in which nothing else was to do. */
const idle = 0.3

/** Milliseconds for which others count as present after a turn in which they had work. */
const presence = 100

let othersAt = Number.NEGATIVE_INFINITY

/** A turn, and a timer more while others are present: they get about as long as a block of long work took. */
const untilOthersHadTheirs = Effect.suspend(() => {
  const began = performance.now()
  return Effect.flatMap(endOfTurn, () => {
    const now = performance.now()
    if (now - began >= idle) othersAt = now
    return now - othersAt < presence ? Effect.sleep(0) : Effect.void
  })
})

/** Runs the program of a process in which long work delays no others, a command or a crawl's process: between two blocks it waits for nothing. */
export const unshared = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(program, pause, endOfTurn)

/** Runs the program of a process that serves others: between two blocks long work waits for others as long as there are any. */
export const shared = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(program, pause, untilOthersHadTheirs)
