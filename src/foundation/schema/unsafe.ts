import type * as Clock from "effect/Clock"
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

/** The clock's monotonic time in nanoseconds, read where no effect runs, such as in a callback of a socket. */
export const nanosOf = (clock: Clock.Clock): bigint => clock.unsafeCurrentTimeNanos()
