import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import { apiError } from "../http/Failure.ts"

/** How long a stop waits for requests in flight. */
const patience = "20 seconds"

const leaving = apiError("service_unavailable", "This node is stopping; nothing was started", {
  headers: { "retry-after": "1" }
})

/** The gate that requests pass: while it closes, those inside finish and new ones are told to come again. */
export class Drain extends Effect.Service<Drain>()("server/Drain", {
  effect: Effect.gen(function* () {
    const state = yield* Ref.make({ closing: false, inside: 0 })
    const empty = yield* Deferred.make<void>()
    const leave = Effect.flatMap(
      Ref.updateAndGet(state, ({ closing, inside }) => ({ closing, inside: inside - 1 })),
      ({ closing, inside }) => Effect.when(Deferred.succeed(empty, undefined), () => closing && inside === 0)
    )
    const enter = Ref.modify(state, (now) =>
      now.closing ? [false, now] : [true, { closing: false, inside: now.inside + 1 }]
    )
    return {
      /** Closes the gate and waits until everything inside has left, 20 s at most. */
      close: Effect.flatMap(
        Ref.updateAndGet(state, ({ inside }) => ({ closing: true, inside })),
        // Finalizers are uninterruptible, and a time-out cannot end what is.
        ({ inside }) =>
          Effect.unless(Effect.timeoutOption(Effect.interruptible(Deferred.await(empty)), patience), () => inside === 0)
      ),
      /** Serves a request inside the gate. */
      pass: <A, E, R>(app: Effect.Effect<A, E, R>) =>
        Effect.acquireUseRelease(
          enter,
          (entered): Effect.Effect<A, E | typeof leaving, R> => (entered ? app : leaving),
          (entered) => (entered ? leave : Effect.void)
        )
    }
  })
}) {}

/** Closes the gate when the scope ends. Built after the server it is released before it, while the server still answers. */
export const closeFirst = Layer.scopedDiscard(Effect.flatMap(Drain, (drain) => Effect.addFinalizer(() => drain.close)))
