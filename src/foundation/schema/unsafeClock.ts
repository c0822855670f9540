import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Monotonic from "./Monotonic.ts"

/** A moment in milliseconds since 1970, and what the ticks of a clock were then. */
export interface Moment {
  readonly at: number
  readonly ticks: number
}

/** The moment that a clock shows now. */
export const momentOf = (clock: Clock.Clock): Moment => ({
  at: clock.unsafeCurrentTimeMillis(),
  ticks: Monotonic.of(clock)
})

/**
 * A clock that goes on from a moment by the ticks of another one, so that setting the machine's time changes no deadline, pause or measured time. The
 * platform's clock has members that read it outside of effects, so this one must have them too.
 */
export const goingOnFrom = (moment: () => Moment, clock: Clock.Clock): Clock.Clock => {
  const now = () => {
    const { at, ticks } = moment()
    return at + Math.floor(Monotonic.of(clock) - ticks)
  }
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
  Effect.clockWith((clock) => {
    const began = momentOf(clock)
    return Effect.withClock(
      effect,
      goingOnFrom(() => began, clock)
    )
  })
