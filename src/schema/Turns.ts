import * as Effect from "effect/Effect"

/** For how many milliseconds a long piece of work holds the thread before others have their turn. */
const turn = 10

/** Gathers all that is made one by one; every few milliseconds whatever else the process has to do comes first. */
export const inTurns = <A>(made: Iterable<A>): Effect.Effect<ReadonlyArray<A>> =>
  Effect.gen(function* () {
    const all: Array<A> = []
    let until = performance.now() + turn
    for (const one of made) {
      all.push(one)
      if (performance.now() > until) {
        // A timer: what waits for input is not behind a mere yield.
        yield* Effect.sleep(0)
        until = performance.now() + turn
      }
    }
    return all
  })
