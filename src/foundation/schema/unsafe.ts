import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Queue from "effect/Queue"

/**
 * The function `make` with one more argument behind those of its caller. A proxy, because the type of an overloaded function can be kept and not written.
 */
export const withLastArgument = <Make extends (...parts: ReadonlyArray<never>) => unknown>(
  make: Make,
  last: unknown
): Make =>
  new Proxy(make, {
    apply: (make, self, parts: ReadonlyArray<unknown>) => Reflect.apply(make, self, [...parts, last])
  })

/** A semaphore of the whole process: it is made with its module, before there is an effect in which to make it. */
export const processSemaphore = (permits: number): Effect.Semaphore => Effect.unsafeMakeSemaphore(permits)

/** Runs effects of the whole process one at a time, in the order in which they came; a semaphore prefers who asks again at once. */
export const processTurns = () => {
  const token = Effect.runSync(Effect.tap(Queue.unbounded<void>(), (tokens) => Queue.offer(tokens, undefined)))
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.zipRight(restore(Queue.take(token)), Effect.ensuring(restore(effect), Queue.offer(token, undefined)))
    )
}

/** A reference of the whole process with its initial value: one that is made in an effect ends with a scope. */
export const processRef = <A>(initial: A): FiberRef.FiberRef<A> => FiberRef.unsafeMake(initial)

/** The clock's monotonic time in milliseconds, read where no effect runs, such as in a callback of a socket. */
export const ticksOf = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1e6

/** A moment in milliseconds since 1970, and what the ticks of a clock were then. */
interface Moment {
  readonly at: number
  readonly ticks: number
}

/** The moment that a clock shows now. */
export const momentOf = (clock: Clock.Clock): Moment => ({
  at: clock.unsafeCurrentTimeMillis(),
  ticks: ticksOf(clock)
})

/**
 * A clock that goes on from a moment by the ticks of another one, so that setting the machine's time changes no deadline, pause or measured time. The
 * platform's clock has members that read it outside of effects, so this one must have them too.
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

/** Runs an effect on a clock that nobody sets. */
export const steadily = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => {
    const began = momentOf(clock)
    return Effect.withClock(
      effect,
      goingOnFrom(() => began, clock)
    )
  })
