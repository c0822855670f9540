import * as Schema from "effect/Schema"
import { EventId } from "../../events/EventId.ts"
import { Attempt, AttemptError, Timings } from "../deliveries/Attempt.ts"

/** The answer to a ping (DESIGN.md §5 "Webhooks"); nothing of the receiver's body is in it, as it might be an internal page. */
export const PingResult = Schema.Struct({
  event_id: EventId,
  event_type: Schema.Literal("webhook.ping"),
  delivered: Schema.Boolean.annotations({ description: "Whether the receiver answered 200–299 in time" }),
  status_code: Attempt.fields.status_code,
  latency_ms: Attempt.fields.latency_ms,
  timings: Schema.NullOr(Timings),
  signature_verified: Schema.Boolean.annotations({
    description:
      "Whether the signature that was sent verifies with the subscription's secret, as a receiver would check it"
  }),
  error: Schema.NullOr(AttemptError)
}).annotations({ identifier: "WebhookPing" })
export type PingResult = typeof PingResult.Type
