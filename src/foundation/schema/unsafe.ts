import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"

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

/** A reference of the whole process with its initial value: one that is made in an effect ends with a scope. */
export const processRef = <A>(initial: A): FiberRef.FiberRef<A> => FiberRef.unsafeMake(initial)

/** The clock's monotonic time in nanoseconds, read where no effect runs, such as in a callback of a socket. */
export const nanosOf = (clock: Clock.Clock): bigint => clock.unsafeCurrentTimeNanos()
