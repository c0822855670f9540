import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import { withLastArgument } from "./unsafe.ts"

/** Gives an effect a span when tracing is on. Without a collector even an empty span costs a noticeable part of the effect it measures. */
export const spanned =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime((fiber) =>
      fiber.getFiberRef(FiberRef.currentTracerEnabled)
        ? Effect.withSpan(effect, name, { captureStackTrace: false })
        : effect
    )

/**
 * Names an effectful function: like `Effect.fn`, each call is a span, but without a collector a call costs nothing more. `Effect.fn` captures stack
 * traces for its span, which cost the calls of use cases more than their work.
 */
export const fn = (name: string): typeof Effect.fnUntraced => withLastArgument(Effect.fnUntraced, spanned(name))
