import * as Effect from "effect/Effect"

/** For how many milliseconds a long piece of work holds the thread before others have their turn. */
const turn = 10

/** Does all steps of a long piece of work, and gives its result; every few milliseconds whatever else the process has to do comes first. */
export const allSteps = <A>(steps: Iterator<unknown, A>): Effect.Effect<A> =>
  Effect.gen(function* () {
    let until = performance.now() + turn
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value
      if (performance.now() > until) {
        // A timer: what waits for input is not behind a mere yield.
        yield* Effect.sleep(0)
        until = performance.now() + turn
      }
    }
  })

/** The result of the same steps, done at once. */
export const atOnce = <A>(steps: Iterator<unknown, A>): A => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value
}

const gathering = function* <A>(made: Iterable<A>): Generator<undefined, ReadonlyArray<A>> {
  const all: Array<A> = []
  for (const one of made) {
    all.push(one)
    yield
  }
  return all
}

/** Gathers all that is made one by one, in turns. */
export const inTurns = <A>(made: Iterable<A>): Effect.Effect<ReadonlyArray<A>> => allSteps(gathering(made))
