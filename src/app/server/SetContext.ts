import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"

/**
 * Runs an effect in a context, which stays set afterwards: restoring the old one costs more than a small answer.
 * An overload, because the compiler cannot infer what a context adds.
 */
export function setContext<A, E, R, S>(
  context: Context.Context<S>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, Exclude<R, S>>
export function setContext<R>(
  context: Context.Context<never>,
  effect: Effect.Effect<unknown, unknown, R>
): Effect.Effect<unknown, unknown, R> {
  return Effect.zipRight(FiberRef.set(FiberRef.currentContext, context), effect)
}
