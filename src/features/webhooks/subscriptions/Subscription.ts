import * as Schema from "effect/Schema"
import { field } from "../../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../../foundation/schema/Time.ts"
import { EventId } from "../../events/EventKind.ts"
import { EventName, subscribable } from "../Catalogue.ts"
import { Format, WebhookId, WebhookUrl } from "../Domain.ts"
import { Attempt, AttemptError, Timings } from "../deliveries/Delivery.ts"
import { Secret } from "../signature/Secret.ts"

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

/** The names of the events that a subscription receives, each once. */
const Events = Schema.Array(EventName)
  .annotations({ message: () => "must be a list of event names" })
  .pipe(
    Schema.minItems(1, { message: () => "must name at least one event" }),
    Schema.maxItems(subscribable.length, { message: () => `must name at most ${subscribable.length} events` }),
    Schema.filter((names) => new Set(names).size === names.length, {
      jsonSchema: { uniqueItems: true },
      message: () => "must not name an event twice"
    })
  )

const longestDescription = 500

/** The subscriber's own note; NUL is the one character that PostgreSQL's `text` cannot hold. */
const Description = Schema.NullOr(
  Schema.String.pipe(
    Schema.filter((text) => !text.includes("\0")),
    Schema.maxLength(longestDescription)
  )
).annotations({
  message: () => ({
    message: `must be null or a text of at most ${longestDescription} characters without NUL`,
    override: true
  })
})

const isActive = Schema.Boolean.annotations({ message: () => "must be true or false" })

/** Body of `POST /webhooks`. */
export const CreateSubscription = Schema.Struct({
  url: WebhookUrl,
  events: Events.annotations({
    description: "Types of events to receive, each once; `GET /event-types` lists them"
  }),
  format: Schema.optionalWith(Format, { default: () => "json", exact: true }).annotations({
    description:
      "What the receiver gets: `json`, the event, by default; `slack`, `discord`, `teams`: a message for people that the incoming webhooks of these services take"
  }),
  description: Schema.optionalWith(Description, { default: () => null, exact: true }).annotations({
    description: "Note for people, at most 500 characters; null or absent: none"
  })
}).annotations({ identifier: "CreateWebhook", description: "The address, and the events that it receives" })
export type CreateSubscription = typeof CreateSubscription.Type

/** Body of `PATCH /webhooks/{id}`: what is absent stays as it is. */
export const PatchSubscription = Schema.Struct({
  url: Schema.optionalWith(WebhookUrl, { exact: true }),
  events: Schema.optionalWith(Events, { exact: true }).annotations({
    description: "Types of events to receive, instead of those before"
  }),
  format: Schema.optionalWith(Format, { exact: true }).annotations({
    description: "What the receiver gets of events from now on; deliveries that were queued before keep their format"
  }),
  description: Schema.optionalWith(Description, { exact: true }).annotations({
    description: "Note for people, at most 500 characters; null removes it"
  }),
  is_active: Schema.optionalWith(isActive, { exact: true }).annotations({
    description: "False pauses it and fails the deliveries that wait; true takes back a deactivation"
  })
}).annotations({ identifier: "PatchWebhook", description: "The changes; absent fields stay as they are" })
export type PatchSubscription = typeof PatchSubscription.Type

/** Why and when the service stopped delivering: the receiver answered 410, or nothing was accepted for 5 days. */
const Deactivation = Schema.Struct({
  reason: Schema.Literal("gone", "failing").annotations({
    description: "`gone`: the receiver answered 410; `failing`: for 5 days nothing was accepted"
  }),
  at: field(Timestamp, "When it stopped")
}).annotations({ identifier: "WebhookDeactivation", description: "Why and when the service stopped delivering" })

/** What is stored of a subscription, without its secret. */
export const StoredSubscription = Schema.Struct({
  id: WebhookId.annotations({
    description: "Id of the webhook, `wh_…`"
  }),
  url: WebhookUrl,
  events: Events.annotations({ description: "Types of events that it receives" }),
  format: field(Format, "What it receives: the JSON of events, or messages for people"),
  description: Description.annotations({ description: "Note for people; null when there is none" }),
  is_active: Schema.Boolean.annotations({ description: "Whether events are delivered to it" }),
  deactivation: Schema.NullOr(Deactivation).annotations({
    description: "Set when the service deactivated the subscription"
  }),
  failing_since: Schema.NullOr(Timestamp).annotations({
    description: "Time since which no attempt was accepted; null when the last one was accepted"
  }),
  previous_secret_expires_at: Schema.NullOr(Timestamp).annotations({
    description: "Until then deliveries are also signed with the secret before the last rotation"
  }),
  created_at: field(Timestamp, "When it was made")
})
export type StoredSubscription = typeof StoredSubscription.Type

const LastDay = Schema.Struct({
  delivered: Schema.NonNegativeInt.annotations({ description: "Those that were accepted" }),
  failed: Schema.NonNegativeInt.annotations({ description: "Those that have failed for good" }),
  pending: Schema.NonNegativeInt.annotations({ description: "Those that have not ended: they wait, or are attempted" })
}).annotations({ identifier: "WebhookLastDay", description: "Deliveries that were queued in the last 24 hours" })

/** A webhook subscription as the API shows it; its secret is not a part of it. */
export const Subscription = Schema.Struct({
  ...StoredSubscription.fields,
  last_24h: field(
    LastDay,
    "Deliveries of its log that were queued in the last 24 hours, by where they stand; test deliveries count, pings do not"
  ),
  last_success_at: Schema.NullOr(Timestamp).annotations({
    description:
      "When it last accepted a delivery of its log, test deliveries included; null when none of those that are kept was accepted"
  })
}).annotations({ identifier: "Webhook", description: "A subscription to events; its secret is not a part of it" })
export type Subscription = typeof Subscription.Type

/** The answer to creation and to rotation, the only ones that show the secret. */
export const SubscriptionWithSecret = Schema.Struct({ ...Subscription.fields, secret: Secret }).annotations({
  identifier: "WebhookWithSecret",
  description: "A webhook with its signing secret"
})

/** The answer to a creation that is sent again: the secret is in it for a day. */
export const SubscriptionReplayed = Schema.Struct({
  ...Subscription.fields,
  secret: Schema.optionalWith(Secret, { exact: true })
}).annotations({ identifier: "WebhookReplayed", description: "A webhook whose creation or rotation was sent again" })
export type SubscriptionWithSecret = typeof SubscriptionWithSecret.Type
