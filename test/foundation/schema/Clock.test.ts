import { expect } from "bun:test"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { steadily } from "../../../src/foundation/schema/unsafe.ts"
import { effectWithTestClock } from "../../harness.ts"

/** A machine's clocks: its time can be set, its ticks cannot. */
const machine = (clock: Clock.Clock) => {
  let offset = 0
  const wall = () => clock.unsafeCurrentTimeMillis() + offset
  const settable: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    currentTimeMillis: Effect.sync(wall),
    currentTimeNanos: clock.currentTimeNanos,
    sleep: (duration) => clock.sleep(duration),
    unsafeCurrentTimeMillis: wall,
    unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos()
  }
  const set = (milliseconds: number) => {
    offset += milliseconds
  }
  return { set, settable }
}

effectWithTestClock("a crawl's time goes on as if nobody had set the clock, an hour forth or a day back", function* () {
  const clock = yield* TestClock.testClock()
  const { set, settable } = machine(clock)
  yield* steadily(
    Effect.gen(function* () {
      const began = yield* Clock.currentTimeMillis
      set(3_600_000)
      expect((yield* Clock.currentTimeMillis) - began).toBe(0)
      set(-90_000_000)
      yield* clock.adjust("5 millis")
      expect((yield* Clock.currentTimeMillis) - began).toBe(5)
    })
  ).pipe(Effect.withClock(settable))
})
