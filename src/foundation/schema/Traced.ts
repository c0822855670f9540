import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"

/** Gives an effect a span where spans are wanted at all. Without a collector even an empty one would cost a part of what it is about. */
export const spanned =
  (name: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiberRuntime((fiber) =>
      fiber.getFiberRef(FiberRef.currentTracerEnabled)
        ? Effect.withSpan(effect, name, { captureStackTrace: false })
        : effect
    )

/**
 * Names an effectful function: like `Effect.fn`, each call is a span, but without a collector a call costs nothing more. `Effect.fn` takes stack traces
 * for its span, of which the calls of use cases spent more than on their work.
 */
export const fn = (name: string): typeof Effect.fnUntraced =>
  new Proxy(Effect.fnUntraced, {
    apply: (make, self, parts: ReadonlyArray<unknown>) => Reflect.apply(make, self, [...parts, spanned(name)])
  })
