import * as Schema from "effect/Schema"
import { EventId } from "../../events/EventId.ts"
import { Attempt, AttemptError, Timings } from "../deliveries/Attempt.ts"

/** Body of `POST /webhooks/{id}/ping`; it may be absent. */
export const PingRequest = Schema.Struct({
  verify_rejection: Schema.optionalWith(
    Schema.Boolean.annotations({
      message: () => "must be true or false",
      description: "Sends a second ping with a wrong signature, which a receiver that checks signatures refuses"
    }),
    { default: () => false, exact: true }
  )
}).annotations({ identifier: "PingWebhook", description: "How to ping; the body may be absent" })
export type PingRequest = typeof PingRequest.Type

/** The answer to a ping; nothing of the receiver's body is in it, as it might be an internal page. */
export const PingResult = Schema.Struct({
  event_id: EventId.annotations({ description: "Id of the `webhook.ping` event" }),
  event_type: Schema.Literal("webhook.ping").annotations({ description: "Always `webhook.ping`" }),
  delivered: Schema.Boolean.annotations({ description: "Whether the receiver answered 200–299 in time" }),
  status_code: Attempt.fields.status_code,
  latency_ms: Attempt.fields.latency_ms,
  timings: Schema.NullOr(Timings).annotations({ description: "How long each phase took; null when nothing was sent" }),
  signature_verified: Schema.NullOr(Schema.Boolean).annotations({
    description:
      "Whether the signature that was delivered verifies with the subscription's secret, checked by the service as a receiver should check it; null unless it was delivered"
  }),
  error: Schema.NullOr(AttemptError).annotations({ description: "Why it was not accepted; null when it was" }),
  rejects_forgery: Schema.optionalWith(Schema.NullOr(Schema.Boolean), { exact: true }).annotations({
    description:
      "With `verify_rejection`: whether the receiver refused a ping with a wrong signature by an answer from 400 to 499; null when the receiver neither refused nor accepted it, or the genuine ping was not delivered"
  })
}).annotations({
  identifier: "PingResult",
  description: "What came back of a test delivery; nothing of the receiver's body is in it"
})
export type PingResult = typeof PingResult.Type
