import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Queue from "effect/Queue"

/** Calls `make` with one more argument after the caller's. A proxy keeps the type of an overloaded function, which we could not write. */
export const withLastArgument = <Make extends (...parts: ReadonlyArray<never>) => unknown>(
  make: Make,
  last: unknown
): Make =>
  new Proxy(make, {
    apply: (make, self, parts: ReadonlyArray<unknown>) => Reflect.apply(make, self, [...parts, last])
  })

/** A semaphore of the whole process, created with its module, before any effect runs. */
export const processSemaphore = (permits: number): Effect.Semaphore => Effect.unsafeMakeSemaphore(permits)

/** Runs effects of the whole process one at a time, first come, first served. A semaphore would prefer a caller that immediately asks again. */
export const processTurns = () => {
  const token = Effect.runSync(Effect.tap(Queue.unbounded<void>(), (tokens) => Queue.offer(tokens, undefined)))
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.zipRight(restore(Queue.take(token)), Effect.ensuring(restore(effect), Queue.offer(token, undefined)))
    )
}

/** A reference of the whole process with its initial value. A reference that an effect creates would end with a scope. */
export const processRef = <A>(initial: A): FiberRef.FiberRef<A> => FiberRef.unsafeMake(initial)

/** The clock's monotonic time in milliseconds, for code outside effects, such as a socket's callback. */
export const ticksOf = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6

/** A moment in milliseconds since 1970, with the ticks of a clock at that moment. */
interface Moment {
  readonly at: number
  readonly ticks: number
}

/** The clock's current moment. */
export const momentOf = (clock: Clock.Clock): Moment => ({
  at: clock.unsafeCurrentTimeMillis(),
  ticks: ticksOf(clock)
})

/**
 * A clock that continues from a moment by the ticks of another clock, so a change of the machine's time moves no deadline, pause or measured time. The members
 * that read the platform's clock outside effects are required here too.
 */
export const goingOnFrom = (moment: () => Moment, clock: Clock.Clock): Clock.Clock => {
  const now = () => {
    const { at, ticks } = moment()
    return at + Math.floor(ticksOf(clock) - ticks)
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

/** Runs an effect on a clock that no change of the machine's time moves. */
export const steadily = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => {
    const began = momentOf(clock)
    return Effect.withClock(
      effect,
      goingOnFrom(() => began, clock)
    )
  })
