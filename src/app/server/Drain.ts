import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiError } from "../../foundation/http/Failure.ts"
import { Stopping } from "../../foundation/http/Stopping.ts"
import { unsentOf } from "./Unsent.ts"

/** How long a stop waits for requests in flight. */
const patience = "20 seconds"

/** What a request is told that comes too late. */
export const leaving = apiError("service_unavailable", "This node is stopping; nothing was started", {
  headers: { "retry-after": "1" }
})

/** Between two looks at what is still being sent. */
const look = "20 millis"

/** The gate that requests pass: while it closes, those inside finish and new ones are told to come again. */
export class Drain extends Effect.Service<Drain>()("server/Drain", {
  effect: Effect.gen(function* () {
    const empty = yield* Deferred.make<void>()
    let inside = 0
    let closing = false
    let unsent: (() => number) | undefined
    const answered = Effect.suspend(() => (inside === 0 ? Effect.void : Deferred.await(empty)))
    // An answer that was made may be far from sent: a list that is exported, or a caller that takes it slowly.
    const sent = Effect.repeat(
      Effect.suspend(() => ((unsent?.() ?? 0) === 0 ? Effect.succeed(true) : Effect.as(Effect.sleep(look), false))),
      { until: (done) => done }
    )
    return {
      /** Closes the gate and waits until everything inside has left and all answers are sent, 20 s at most. */
      close: Effect.suspend(() => {
        closing = true
        // Finalizers are uninterruptible, and a time-out cannot end what is.
        const left = Effect.interruptible(Effect.zipRight(answered, sent))
        return Effect.asVoid(Effect.timeoutOption(left, patience))
      }),
      /** Lets a request in; false when the gate closes. Who was let in has to leave. */
      enter: (request: HttpServerRequest.HttpServerRequest): boolean => {
        unsent ??= unsentOf(request)
        if (!closing) inside++
        return !closing
      },
      leave: () => {
        inside--
        if (closing && inside === 0) Deferred.unsafeDone(empty, Effect.void)
      }
    }
  })
}) {}

/**
 * Closes the gate when the scope ends, and lets those go who wait for something inside. Built after the server it is released before it, while the server
 * still answers.
 */
export const closeFirst = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([Drain, Stopping]), ([drain, stopping]) =>
    Effect.addFinalizer(() => Effect.zipRight(stopping.begin, drain.close))
  )
)
