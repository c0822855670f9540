/** Platform adapter: turns of the runtime's event loop. */
import * as Effect from "effect/Effect"
import { pause } from "../schema/Steps.ts"

/** Until pending input was read and timers that are due ran. */
const endOfTurn = Effect.async<void>((resume) => {
  const next = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(next))
})

/** Runs the program of a process in which long work delays no others, a command or a crawl's process: between two blocks it waits for nothing. */
export const unshared = <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(program, pause, endOfTurn)
