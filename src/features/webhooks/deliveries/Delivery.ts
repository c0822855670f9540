import * as Schema from "effect/Schema"
import { PageParameters } from "../../../foundation/http/Contract.ts"
import { field } from "../../../foundation/schema/Scalars.ts"
import { Moment, Timestamp } from "../../../foundation/schema/Time.ts"
import { EventId } from "../../events/EventKind.ts"
import { catalogue, EventType } from "../Catalogue.ts"
import { DeliveryId, Format, WebhookId } from "../Domain.ts"

/** The stage at which an attempt failed; `http` is an answer that is neither 2xx nor 3xx, `interrupted` means that the worker died before it had the answer. */
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
    "Stage at which an attempt failed; `http`: an answer that is neither 2xx nor 3xx, `interrupted`: the worker died before it had the answer"
})
export type AttemptErrorCode = typeof AttemptErrorCode.Type

/** Why an attempt was not accepted. */
export const AttemptError = Schema.Struct({
  code: field(AttemptErrorCode, "Stage at which it failed"),
  message: Schema.String.annotations({ description: "The same in one sentence, for people" })
}).annotations({ identifier: "WebhookAttemptError", description: "Why an attempt was not accepted" })
export type AttemptError = typeof AttemptError.Type

const Milliseconds = Schema.Number.pipe(Schema.nonNegative())

/** How long each phase of an exchange took, in milliseconds; null for a phase that was not needed or not reached. */
export const Timings = Schema.Struct({
  dns_ms: Schema.NullOr(Milliseconds).annotations({
    description: "Name look-up in milliseconds; null when it was not needed or not reached"
  }),
  connect_ms: Schema.NullOr(Milliseconds).annotations({
    description: "TCP connection in milliseconds; null when it was not needed or not reached"
  }),
  tls_ms: Schema.NullOr(Milliseconds).annotations({
    description: "TLS handshake in milliseconds; null when it was not needed or not reached"
  }),
  first_byte_ms: Schema.NullOr(Milliseconds).annotations({
    description: "From the request to the first byte of the answer in milliseconds; null when not reached"
  }),
  body_ms: Schema.NullOr(Milliseconds).annotations({
    description: "Rest of the answer in milliseconds; null when not reached"
  })
}).annotations({ identifier: "WebhookPingTimings", description: "How long each phase of an exchange took" })
export type Timings = typeof Timings.Type

/** The phases of an attempt; a connection that was kept alive from an earlier one needs neither connecting nor TLS. */
export const AttemptTimings = Schema.Struct({
  ...Timings.fields,
  reused: Schema.Boolean.annotations({
    description: "Whether a connection of an earlier attempt was used, which needs neither connecting nor TLS"
  })
}).annotations({ identifier: "WebhookTimings", description: "How long each phase of an attempt took" })
export type AttemptTimings = typeof AttemptTimings.Type

/** What is kept of an answer: at most 16 KiB of its body, not decompressed, read as UTF-8. */
export const KeptResponse = Schema.Struct({
  body: Schema.String.annotations({ description: "At most 16 KiB of the body, not decompressed, read as UTF-8" }),
  truncated: Schema.Boolean.annotations({ description: "Whether the body was longer" }),
  error: Schema.optionalWith(AttemptError, { exact: true }).annotations({
    description:
      "Why the rest of the answer did not come; absent when it came. The status of the answer counts all the same"
  })
}).annotations({ identifier: "WebhookResponse", description: "What is kept of the receiver's answer" })
export type KeptResponse = typeof KeptResponse.Type

/** One try to deliver an event; while it is under way it has neither a status code nor an error. */
export const Attempt = Schema.Struct({
  number: Schema.Int.pipe(Schema.positive()).annotations({
    description: "Number of the attempt within its delivery, from 1"
  }),
  trigger: Schema.Literal("automatic", "manual").annotations({
    description: "`manual`: asked for by a redelivery or recovery"
  }),
  started_at: field(Timestamp, "When it began"),
  status_code: Schema.NullOr(Schema.Int).annotations({
    description: "Status of the receiver's answer; null when none came"
  }),
  latency_ms: Schema.NullOr(Milliseconds).annotations({
    description: "From the name look-up to the last byte that was read: the phases and the time between them"
  }),
  timings: Schema.NullOr(AttemptTimings).annotations({
    description: "How long each phase took; null when nothing was sent"
  }),
  error: Schema.NullOr(AttemptError).annotations({
    description: "Why it was not accepted; null when it was, or while it is under way"
  }),
  response: Schema.NullOr(KeptResponse).annotations({
    description: "What the receiver answered; null when nothing came"
  })
}).annotations({
  identifier: "WebhookAttempt",
  description: "One try to deliver an event; while it is under way it has neither a status code nor an error"
})
export type Attempt = typeof Attempt.Type

const Headers = Schema.Record({ key: Schema.String, value: Schema.String }).annotations({
  identifier: "WebhookRequestHeaders",
  description: "Headers by their names, signatures included"
})

/** What an attempt sent, as it is kept beside it: in the format `json` its body is the event's text, which is kept once. */
export const KeptRequest = Schema.Struct({
  headers: Headers,
  body: Schema.optionalWith(Schema.String, { exact: true })
})
export type KeptRequest = typeof KeptRequest.Type

/** An attempt with what it sent; none where a fault of ours came before that. */
export const KeptAttempt = Schema.Struct({
  ...Attempt.fields,
  request: Schema.optionalWith(KeptRequest, { exact: true })
})
export type KeptAttempt = typeof KeptAttempt.Type

/** What was sent: headers and body, which verify with the secrets of that moment. */
const SentRequest = Schema.Struct({
  headers: field(Headers, "Headers by their names, signatures included"),
  body: Schema.String.annotations({ description: "Body, byte for byte, in the format of the delivery" })
}).annotations({ identifier: "WebhookRequest", description: "What the newest attempt sent" })

/** The state of a delivery: `pending` waits for its next attempt, `delivering` is being attempted, the other two are final. */
export const DeliveryStatus = Schema.Literal("pending", "delivering", "delivered", "failed")
  .annotations({
    message: () => ({ message: "must be one of pending, delivering, delivered, failed", override: true })
  })
  .annotations({
    identifier: "WebhookDeliveryStatus",
    description:
      "`pending` waits for its next attempt, `delivering` is being attempted, `delivered` and `failed` are final"
  })
export type DeliveryStatus = typeof DeliveryStatus.Type

/** Why a delivery has failed: no attempt of its schedule was accepted, or its subscription was deactivated before that. */
const FailureReason = Schema.Literal("attempts_exhausted", "webhook_deactivated")

/** One event on its way to one subscription, with every attempt made so far, the oldest first. */
export const Delivery = Schema.Struct({
  id: DeliveryId.annotations({ description: "Id of the delivery, `dlv_…`" }),
  webhook_id: WebhookId.annotations({ description: "Id of the webhook" }),
  event_id: EventId.annotations({ description: "Id of the event, the same in every delivery of it" }),
  event_type: field(EventType, "Type of the event"),
  format: field(Format, "What is sent: the format that the webhook had when the delivery was queued"),
  test: Schema.Boolean.annotations({
    description:
      "Whether it is a test delivery, which was asked for: its event did not happen and is not among `/events`"
  }),
  status: field(DeliveryStatus, "Where it stands"),
  failure_reason: Schema.NullOr(FailureReason).annotations({ description: "Set when the status is `failed`" }),
  next_attempt_at: Schema.NullOr(Timestamp).annotations({ description: "Null once the delivery has ended" }),
  created_at: field(Timestamp, "When it was queued"),
  finished_at: Schema.NullOr(Timestamp).annotations({
    description: "When it was accepted or failed; null before that"
  }),
  attempts: Schema.Array(Attempt).annotations({ description: "Every attempt so far, the oldest first" })
}).annotations({ identifier: "WebhookDelivery", description: "One event on its way to one webhook" })
export type Delivery = typeof Delivery.Type

/** The same with what was sent. */
export const DeliveryWithRequest = Schema.Struct({
  ...Delivery.fields,
  request: Schema.NullOr(SentRequest).annotations({
    description:
      "What the newest attempt sent: every attempt has the same body, and a time and signatures of its own. Null before the first one has ended. Kept as long as the delivery"
  })
}).annotations({
  identifier: "WebhookDeliveryWithRequest",
  description: "One event on its way to one webhook, with what was sent"
})

const asked = "Type whose example is sent, whether the webhook lists it or not; `GET /event-types` lists all"

/** Body of `POST /webhooks/{id}/test`; the use case refuses an unknown type, since it names the nearest one. */
export const TestDelivery = Schema.Struct({
  type: Schema.String.annotations({
    jsonSchema: { description: asked, enum: catalogue.map(({ type }) => type), type: "string" },
    message: () => "must be the name of a type of event"
  })
}).annotations({ identifier: "TestWebhook", description: "What to send" })

/** Body of `POST /webhooks/{id}/recover`. */
export const Recover = Schema.Struct({
  since: Moment.annotations({
    description: "Events of this time and later that are still kept are sent, unless they were accepted"
  })
}).annotations({ identifier: "RecoverWebhook", description: "From when on failed deliveries are sent again" })
export type Recover = typeof Recover.Type

/** The answer to a recovery. */
export const Recovered = Schema.Struct({
  since: Moment.annotations({ description: "The moment of the request, in UTC" }),
  recovered: Schema.NonNegativeInt.annotations({ description: "Deliveries that were made due by this request" })
}).annotations({ identifier: "WebhookRecovery", description: "What a recovery made due again" })
export type Recovered = typeof Recovered.Type

/** The query of `GET /deliveries`. */
export const OfStatus = Schema.Struct({
  ...PageParameters,
  status: Schema.optionalWith(DeliveryStatus, { exact: true }).annotations({
    description: "Only deliveries in this state"
  })
})

/** The query of `GET /webhooks/{id}/deliveries`. */
export const Filters = Schema.Struct({
  ...OfStatus.fields,
  event_type: Schema.optionalWith(EventType, { exact: true }).annotations({
    description: "Only deliveries of events of this type"
  }),
  event_id: Schema.optionalWith(EventId.annotations({ message: () => "must be an event id" }), {
    exact: true
  }).annotations({ description: "Only deliveries of this event, `evt_…`" }),
  since: Schema.optionalWith(Moment.annotations({ description: "Deliveries of this time and later" }), { exact: true }),
  until: Schema.optionalWith(Moment.annotations({ description: "Deliveries before this time" }), { exact: true })
})
