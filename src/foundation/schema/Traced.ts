import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import { withLastArgument } from "./unsafe.ts"

/** Gives an effect a span when tracing is on. Without a collector, even an empty span would cost a noticeable part of the measured effect. */
export const spanned =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime((fiber) =>
      fiber.getFiberRef(FiberRef.currentTracerEnabled)
        ? Effect.withSpan(effect, name, { captureStackTrace: false })
        : effect
    )

/**
 * Names an effectful function. Each call is a span, as with `Effect.fn`, but costs nothing without a collector. The stack traces that `Effect.fn` captures cost
 * more than the work of a use case.
 */
export const fn = (name: string): typeof Effect.fnUntraced => withLastArgument(Effect.fnUntraced, spanned(name))
