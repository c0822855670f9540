import { expect } from "bun:test"
import * as Effect from "effect/Effect"
import * as Deadlines from "../../src/outbound/Deadlines.ts"
import { effect } from "../harness.ts"

effect("what is added long after its exchange began is ended in time, and so is what another exchange adds then", () =>
  Effect.gen(function* () {
    const deadlines = Deadlines.make()
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
    expect(yield* Effect.timeoutOption(slow, "5 seconds")).toMatchObject({ _tag: "Some" })
    yield* Effect.sleep("100 millis")
    expect(yield* Effect.timeoutOption(Effect.all([slow, slow], { concurrency: 2 }), "5 seconds")).toMatchObject({
      _tag: "Some"
    })
  })
)
