import * as Schema from "effect/Schema"
import { PageParameters } from "../../../foundation/http/Contract.ts"
import { field } from "../../../foundation/schema/Scalars.ts"
import { Moment, Timestamp } from "../../../foundation/schema/Time.ts"
import { EventId } from "../../events/EventKind.ts"
import { catalogue, EventType } from "../Catalogue.ts"
import { DeliveryId, Format, WebhookId } from "../Domain.ts"

/** The stage at which an attempt failed; `http` is a response other than 2xx and 3xx, `interrupted` means that the worker died before the response. */
export const AttemptErrorCode = Schema.Literal(
  "blocked",
  "dns",
  "connect",
  "tls",
  "timeout",
  "reset",
  "protocol",
  "redirect",
  "http",
  "interrupted"
).annotations({
  identifier: "WebhookAttemptErrorCode",
  description:
    "Stage at which an attempt failed; `http`: the endpoint returned neither 2xx nor 3xx; `interrupted`: the server stopped before the response"
})
export type AttemptErrorCode = typeof AttemptErrorCode.Type

/** Why an attempt was not accepted. */
export const AttemptError = Schema.Struct({
  code: field(AttemptErrorCode, "Stage of the failure"),
  message: Schema.String.annotations({ description: "One sentence for people: what happened, why, and what to do" })
}).annotations({ identifier: "WebhookAttemptError", description: "Why an attempt failed" })
export type AttemptError = typeof AttemptError.Type

const Milliseconds = Schema.Number.pipe(Schema.nonNegative())

/** Duration of each phase of an exchange, in milliseconds; null for a phase that was not needed or not reached. */
export const Timings = Schema.Struct({
  dns_ms: Schema.NullOr(Milliseconds).annotations({
    description: "DNS lookup in milliseconds; null when not needed or not reached"
  }),
  connect_ms: Schema.NullOr(Milliseconds).annotations({
    description: "TCP connection in milliseconds; null when not needed or not reached"
  }),
  tls_ms: Schema.NullOr(Milliseconds).annotations({
    description: "TLS handshake in milliseconds; null when not needed or not reached"
  }),
  first_byte_ms: Schema.NullOr(Milliseconds).annotations({
    description: "From the request to the first byte of the response in milliseconds; null when not reached"
  }),
  body_ms: Schema.NullOr(Milliseconds).annotations({
    description: "Rest of the response in milliseconds; null when not reached"
  })
}).annotations({ identifier: "WebhookPingTimings", description: "Duration of each phase of a request" })
export type Timings = typeof Timings.Type

/** The phases of an attempt; a kept connection needs neither connecting nor TLS. */
export const AttemptTimings = Schema.Struct({
  ...Timings.fields,
  reused: Schema.Boolean.annotations({
    description: "Whether the connection of an earlier attempt was reused"
  })
}).annotations({ identifier: "WebhookTimings", description: "Duration of each phase of an attempt" })
export type AttemptTimings = typeof AttemptTimings.Type

const Headers = Schema.Record({ key: Schema.String, value: Schema.String }).annotations({
  identifier: "WebhookHeaders",
  description: "Headers by name, in lower case in a response"
})

/** The kept part of a response: at most 16 KiB of its body, not decompressed, read as UTF-8. */
export const KeptResponse = Schema.Struct({
  body: Schema.String.annotations({ description: "Up to 16 KiB of the response body, not decompressed, as UTF-8" }),
  truncated: Schema.Boolean.annotations({ description: "Whether the response body was longer" }),
  headers: Schema.optionalWith(Headers, { exact: true }).annotations({
    description: "Headers of the response by name; lists of deliveries leave them out"
  }),
  error: Schema.optionalWith(AttemptError, { exact: true }).annotations({
    description: "Why the rest of the response is missing; absent when it is complete. The status counts either way"
  })
}).annotations({ identifier: "WebhookResponse", description: "Stored part of the endpoint's response" })
export type KeptResponse = typeof KeptResponse.Type

/** One try to deliver an event; a running one has neither a status code nor an error. */
export const Attempt = Schema.Struct({
  number: Schema.Int.pipe(Schema.positive()).annotations({
    description: "Number of the attempt, from 1"
  }),
  trigger: Schema.Literal("automatic", "manual").annotations({
    description: "`manual`: a resend"
  }),
  started_at: field(Timestamp, "When it began"),
  status_code: Schema.NullOr(Schema.Int).annotations({
    description: "HTTP status that the endpoint returned; null without a response"
  }),
  latency_ms: Schema.NullOr(Milliseconds).annotations({
    description: "Total time from DNS lookup to the last byte"
  }),
  timings: Schema.NullOr(AttemptTimings).annotations({
    description: "Duration of each phase; null when nothing was sent"
  }),
  error: Schema.NullOr(AttemptError).annotations({
    description: "Why the attempt failed; null when it was accepted or is in progress"
  }),
  response: Schema.NullOr(KeptResponse).annotations({
    description: "Response of the endpoint; null without one"
  })
}).annotations({
  identifier: "WebhookAttempt",
  description: "One attempt to deliver an event; while in progress it has neither a status code nor an error"
})
export type Attempt = typeof Attempt.Type

/** The kept request of an attempt: in the format `json` its body is the event's text, which is kept once. */
export const KeptRequest = Schema.Struct({
  headers: Headers,
  body: Schema.optionalWith(Schema.String, { exact: true })
})
export type KeptRequest = typeof KeptRequest.Type

/** An attempt with its request; no request if a server fault came before. */
export const KeptAttempt = Schema.Struct({
  ...Attempt.fields,
  request: Schema.optionalWith(KeptRequest, { exact: true })
})
export type KeptAttempt = typeof KeptAttempt.Type

/** The request: headers and body, which verify with the secrets of that moment. */
const SentRequest = Schema.Struct({
  headers: field(Headers, "Headers by name, including the signatures"),
  body: Schema.String.annotations({ description: "Body as sent, byte for byte" })
}).annotations({ identifier: "WebhookRequest", description: "Request of the latest attempt" })

/** The state of a delivery: `pending` waits for its next attempt, `delivering` has a running attempt, the other two are final. */
export const DeliveryStatus = Schema.Literal("pending", "delivering", "delivered", "failed")
  .annotations({
    message: () => ({ message: "must be one of pending, delivering, delivered, failed", override: true })
  })
  .annotations({
    identifier: "WebhookDeliveryStatus",
    description: "`pending` waits for its next attempt, `delivering` is in progress, `delivered` and `failed` are final"
  })
export type DeliveryStatus = typeof DeliveryStatus.Type

/** Why a delivery failed: no attempt of its schedule was accepted, or its subscription was deactivated before. */
const FailureReason = Schema.Literal("attempts_exhausted", "webhook_deactivated")

/** One event for one subscription, with every attempt so far, oldest first. */
export const Delivery = Schema.Struct({
  id: DeliveryId.annotations({ description: "Id of the delivery, `dlv_…`" }),
  webhook_id: WebhookId.annotations({ description: "Id of the endpoint" }),
  event_id: EventId.annotations({ description: "Id of the event, the same in every delivery of it" }),
  event_type: field(EventType, "Type of the event"),
  format: field(Format, "Format of the endpoint when the delivery was queued"),
  test: Schema.Boolean.annotations({
    description: "Whether it is a test delivery; its event did not happen and is not in `/events`"
  }),
  status: field(DeliveryStatus, "Status"),
  failure_reason: Schema.NullOr(FailureReason).annotations({
    description: "Reason of the failure; set when the status is `failed`"
  }),
  next_attempt_at: Schema.NullOr(Timestamp).annotations({
    description: "Time of the next attempt; null when the delivery is finished"
  }),
  created_at: field(Timestamp, "When it was queued"),
  finished_at: Schema.NullOr(Timestamp).annotations({
    description: "When it was accepted or failed; null before that"
  }),
  attempts: Schema.Array(Attempt).annotations({ description: "Attempts so far, oldest first" })
}).annotations({ identifier: "WebhookDelivery", description: "Delivery of one event to one endpoint" })
export type Delivery = typeof Delivery.Type

/** A delivery with its last request. */
export const DeliveryWithRequest = Schema.Struct({
  ...Delivery.fields,
  request: Schema.NullOr(SentRequest).annotations({
    description:
      "Request of the latest attempt. Every attempt sends the same body with its own time and signatures. Null before the first attempt has finished"
  })
}).annotations({
  identifier: "WebhookDeliveryWithRequest",
  description: "Delivery of one event to one endpoint, with the request"
})

const asked = "Event type to send, whether the endpoint subscribes to it or not; `GET /event-types` lists all"

/** Body of `POST /webhooks/{id}/test`; the use case refuses an unknown type, because its message names the nearest one. */
export const TestDelivery = Schema.Struct({
  type: Schema.String.annotations({
    jsonSchema: { description: asked, enum: catalogue.map(({ type }) => type), type: "string" },
    message: () => "must be an event type, as listed by GET /api/v1/event-types"
  })
}).annotations({ identifier: "TestWebhook", description: "The event type to send" })

/** Body of `POST /webhooks/{id}/recover`. */
export const Recover = Schema.Struct({
  since: Moment.annotations({
    description: "Resend failed deliveries of events since this time"
  })
}).annotations({ identifier: "RecoverWebhook", description: "Start of the period to resend" })
export type Recover = typeof Recover.Type

/** The response to a recovery. */
export const Recovered = Schema.Struct({
  since: Moment.annotations({ description: "Time of the request, in UTC" }),
  recovered: Schema.NonNegativeInt.annotations({ description: "Number of deliveries queued by this request" })
}).annotations({ identifier: "WebhookRecovery", description: "Result of resending failed deliveries" })
export type Recovered = typeof Recovered.Type

/** The query of `GET /deliveries`. */
export const OfStatus = Schema.Struct({
  ...PageParameters,
  status: Schema.optionalWith(DeliveryStatus, { exact: true }).annotations({
    description: "Only deliveries with this status"
  })
})

/** The query of `GET /webhooks/{id}/deliveries`. */
export const Filters = Schema.Struct({
  ...OfStatus.fields,
  event_type: Schema.optionalWith(EventType, { exact: true }).annotations({
    description: "Only deliveries of this event type"
  }),
  event_id: Schema.optionalWith(EventId.annotations({ message: () => "must be an event id" }), {
    exact: true
  }).annotations({ description: "Only deliveries of this event, `evt_…`" }),
  since: Schema.optionalWith(Moment.annotations({ description: "Only deliveries since this time" }), { exact: true }),
  until: Schema.optionalWith(Moment.annotations({ description: "Only deliveries before this time" }), { exact: true })
})
