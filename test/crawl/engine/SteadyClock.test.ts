import { expect } from "bun:test"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { steadily } from "../../../src/crawl/engine/SteadyClock.ts"
import { effect } from "../../harness.ts"

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

effect("a crawl's time goes on as if nobody had set the clock, an hour forth or a day back", () =>
  Effect.clockWith((clock) => {
    const { set, settable } = machine(clock)
    return steadily(
      Effect.gen(function* () {
        const began = yield* Clock.currentTimeMillis
        set(3_600_000)
        expect((yield* Clock.currentTimeMillis) - began).toBeLessThan(1000)
        set(-90_000_000)
        yield* Effect.sleep("5 millis")
        const passed = (yield* Clock.currentTimeMillis) - began
        expect(passed).toBeGreaterThanOrEqual(4)
        expect(passed).toBeLessThan(1000)
      })
    ).pipe(Effect.withClock(settable))
  })
)
