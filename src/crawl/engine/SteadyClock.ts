import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const perMillisecond = 1_000_000n

/**
 * The clock that is there now, going on steadily: when the machine's time is set meanwhile, deadlines, pauses and measured times are what they would
 * have been without it.
 */
const steadyClock = (clock: Clock.Clock): Clock.Clock => {
  const millis = clock.unsafeCurrentTimeMillis()
  const nanos = clock.unsafeCurrentTimeNanos()
  const now = () => millis + Number((clock.unsafeCurrentTimeNanos() - nanos) / perMillisecond)
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanos: clock.currentTimeNanos,
    sleep: (duration) => clock.sleep(duration),
    unsafeCurrentTimeMillis: now,
    unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos()
  }
}

/** Runs an effect on a clock that nobody sets. */
export const steadily = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => Effect.withClock(effect, steadyClock(clock)))
