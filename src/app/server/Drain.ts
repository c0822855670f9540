import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiError } from "../../foundation/http/ApiError.ts"
import { Connections, Stopping } from "../../foundation/http/ServerContext.ts"

/** How long a stop waits for requests in flight. */
const patience = "20 seconds"

/** Answer to requests that arrive during shutdown. */
export const leaving = apiError("service_unavailable", "This node is stopping; nothing was started", {
  headers: { "retry-after": "1" }
})

/** Time between two reads of the number of pending responses. */
const interval = "20 millis"

/** Says how many requests were in flight at the stop, and how many of them are broken off now. */
const report = (found: number, open: number) =>
  Effect.annotateLogs(Effect.logInfo("Requests in flight have ended"), {
    answered: Math.max(0, found - open),
    broken_off: open
  })

/** Lets a stop wait for requests in flight; later ones get 503 with `Retry-After`. */
export class Drain extends Effect.Service<Drain>()("server/Drain", {
  effect: Effect.gen(function* () {
    const empty = yield* Deferred.make<void>()
    const { pending } = yield* Connections
    let inside = 0
    let closing = false
    const answered = Effect.suspend(() => (inside === 0 ? Effect.void : Deferred.await(empty)))
    // A handler returns long before the last byte of an export, or of an answer to a slow reader, is sent.
    const sent = Effect.repeat(
      Effect.suspend(() => (pending() === 0 ? Effect.succeed(true) : Effect.as(Effect.sleep(interval), false))),
      { until: (done) => done }
    )
    return {
      /** Refuses new requests and waits until all others are answered and sent, 20 s at most. */
      close: Effect.suspend(() => {
        closing = true
        const open = () => Math.max(inside, pending())
        const found = open()
        // A finalizer is uninterruptible, and a time-out ends only what can be interrupted.
        const left = Effect.interruptible(Effect.zipRight(answered, sent))
        return Effect.zipRight(
          Effect.timeoutOption(left, patience),
          Effect.suspend(() => report(found, open()))
        )
      }),
      /** Admits a request; false during shutdown. Every successful `enter` needs one `leave`. */
      enter: (): boolean => {
        if (!closing) inside++
        return !closing
      },
      leave: Effect.suspend(() => {
        inside--
        return closing && inside === 0 ? Effect.asVoid(Deferred.succeed(empty, undefined)) : Effect.void
      })
    }
  })
}) {}

/**
 * Drains when the scope ends, and ends long polls first. It is built after the server and therefore released before it, while the server still
 * answers.
 */
export const closeFirst = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([Drain, Stopping]), ([drain, stopping]) =>
    Effect.addFinalizer(() => Effect.zipRight(stopping.begin, drain.close))
  )
)
