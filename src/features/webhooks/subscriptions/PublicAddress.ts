import * as Effect from "effect/Effect"
import { Outbound } from "../../../foundation/outbound/Outbound.ts"
import { Invalid } from "../../../foundation/schema/DomainError.ts"
import type { WebhookUrl } from "./WebhookUrl.ts"

/**
 * Refuses an address whose host is not public now, or does not resolve, so that a subscriber hears of a typing error at once. Every attempt checks the
 * host again.
 */
export const check = Effect.fnUntraced(function* (url: WebhookUrl) {
  const outbound = yield* Outbound
  // The handlers that call this are uninterruptible, where the look-up's own time-out could not end it.
  yield* Effect.interruptible(outbound.vet(new URL(url))).pipe(
    Effect.mapError(({ message, reason }) =>
      Invalid.of("url", reason === "dns" ? `must have a host that resolves: ${message}` : `must be public: ${message}`)
    )
  )
})
