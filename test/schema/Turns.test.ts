import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import { inTurns } from "../../src/schema/Turns.ts"
import { effect } from "../harness.ts"

/** Steps of a millisecond each. */
function* steps(count: number) {
  for (let at = 0; at < count; at++) {
    const until = performance.now() + 1
    while (performance.now() < until);
    yield at
  }
}

effect("long work made of steps is done in order, and a timer that is due has its turn meanwhile", () =>
  Effect.gen(function* () {
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    const made = yield* Effect.ensuring(
      inTurns(steps(200)),
      Effect.sync(() => clearInterval(timer))
    )
    expect(made).toEqual(Array.from({ length: 200 }, (_, at) => at))
    expect(turns).toBeGreaterThan(3)
  })
)

effect("a step that breaks breaks the whole", () =>
  Effect.gen(function* () {
    const broken = inTurns(
      (function* () {
        yield 1
        throw new Error("oh")
      })()
    )
    expect(yield* Effect.exit(broken)).toMatchObject({ _tag: "Failure", cause: { _tag: "Die" } })
  })
)
