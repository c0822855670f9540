import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"

/** The time limit of each statement in milliseconds: reads of the API have one, writes and workers have none. */
export class StatementLimit extends Context.Reference<StatementLimit>()("database/StatementLimit", {
  defaultValue: (): number => Number.POSITIVE_INFINITY
}) {}

/** A statement took longer than its limit, in seconds, and was cancelled. */
export class StatementTooSlow extends Data.TaggedError("StatementTooSlow")<{ readonly seconds: number }> {}

/**
 * The statement, interrupted at the limit and so cancelled on the server. Every statement of every read passes here: the platform's timer adds 7 µs, a
 * race against `Effect.sleep` 20.
 */
export const limited = <A, E>(statement: Effect.Effect<A, E>): Effect.Effect<A, E | StatementTooSlow> =>
  Effect.flatMap(Effect.runtime<never>(), (runtime) => {
    const limit = Context.get(runtime.context, StatementLimit)
    if (limit === Number.POSITIVE_INFINITY) return statement
    return Effect.async<A, E | StatementTooSlow>((resume) => {
      const fiber = Runtime.runFork(runtime, Effect.interruptible(statement))
      const end = () => resume(Effect.zipRight(Fiber.interrupt(fiber), new StatementTooSlow({ seconds: limit / 1000 })))
      // @effect-diagnostics-next-line globalTimers:off
      const timer = setTimeout(end, limit)
      fiber.addObserver((exit) => {
        clearTimeout(timer)
        resume(exit)
      })
      return Fiber.interrupt(fiber)
    })
  })
