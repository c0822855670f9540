import * as Effect from "effect/Effect"
import { Outbound } from "../../../foundation/outbound/Outbound.ts"
import { Invalid } from "../../../foundation/schema/DomainError.ts"
import type { WebhookUrl } from "./WebhookUrl.ts"

/**
 * Refuses an address whose host is not public at the moment, or does not resolve: a subscriber hears of a slip of the pen at once. What the name
 * leads to later is judged again on every attempt.
 */
export const check = Effect.fnUntraced(function* (url: WebhookUrl) {
  const outbound = yield* Outbound
  // The handlers that ask for this are uninterruptible, and then the look-up's own time-out could not end it.
  yield* Effect.interruptible(outbound.vet(new URL(url))).pipe(
    Effect.mapError(({ message, reason }) =>
      Invalid.of("url", reason === "dns" ? `must have a host that resolves: ${message}` : `must be public: ${message}`)
    )
  )
})
