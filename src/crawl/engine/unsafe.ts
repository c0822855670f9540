import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Monotonic from "../../foundation/schema/Monotonic.ts"

/**
 * A monotonic view of the current clock: setting the machine's time changes no deadline, pause or measured time. The platform's clock has members
 * that read it outside of effects, so another clock must have them too.
 */
const steadyClock = (clock: Clock.Clock): Clock.Clock => {
  const millis = clock.unsafeCurrentTimeMillis()
  const began = Monotonic.of(clock)
  const now = () => millis + Math.floor(Monotonic.of(clock) - began)
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanos: clock.currentTimeNanos,
    sleep: (duration) => clock.sleep(duration),
    unsafeCurrentTimeMillis: now,
    unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos()
  }
}

/** Runs an effect on a monotonic clock. */
export const steadily = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => Effect.withClock(effect, steadyClock(clock)))
