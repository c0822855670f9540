import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Timing from "../../../src/foundation/outbound/Timing.ts"
import { effectWithTestClock } from "../../harness.ts"

effectWithTestClock(
  "what is added long after its exchange began is ended in time, and so is what another exchange adds then",
  function* () {
    const deadlines = Timing.make()
    const ended = Effect.async<void>((resume) => {
      const timed = {
        end: () => {
          deadlines.remove(timed)
          resume(Effect.void)
        },
        left: () => 0
      }
      deadlines.add(timed)
    })
    // A connection may take its time before there is anything to end.
    const slow = deadlines.during(Effect.zipRight(Effect.sleep("100 millis"), ended))
    const first = yield* Effect.fork(slow)
    yield* TestClock.adjust("120 millis")
    expect(yield* Fiber.poll(first)).toMatchObject({ _tag: "Some" })
    yield* TestClock.adjust("100 millis")
    const others = yield* Effect.fork(Effect.all([slow, slow], { concurrency: 2 }))
    yield* TestClock.adjust("120 millis")
    expect(yield* Fiber.poll(others)).toMatchObject({ _tag: "Some" })
  }
)
