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
      description: "Also sends a ping with a wrong signature, which an endpoint must reject"
    }),
    { default: () => false, exact: true }
  )
}).annotations({ identifier: "PingWebhook", description: "Options of the ping; the body is optional" })
export type PingRequest = typeof PingRequest.Type

/** The result of a ping, without the endpoint's body, which might be an internal page. */
export const PingResult = Schema.Struct({
  event_id: EventId.annotations({ description: "Id of the `webhook.ping` event" }),
  event_type: Schema.Literal("webhook.ping").annotations({ description: "Always `webhook.ping`" }),
  delivered: Schema.Boolean.annotations({ description: "Whether the endpoint returned 200–299 in time" }),
  status_code: Attempt.fields.status_code,
  latency_ms: Attempt.fields.latency_ms,
  timings: Schema.NullOr(Timings).annotations({ description: "Duration of each phase; null when nothing was sent" }),
  signature_verified: Schema.NullOr(Schema.Boolean).annotations({
    description: "Whether the delivered signature verifies with the endpoint's secret; null unless it was delivered"
  }),
  error: Schema.NullOr(AttemptError).annotations({ description: "Why it failed; null when it was accepted" }),
  rejects_forgery: Schema.optionalWith(Schema.NullOr(Schema.Boolean), { exact: true }).annotations({
    description:
      "With `verify_rejection`: whether the endpoint rejected the ping with a wrong signature (status 400–499); null when it neither rejected nor accepted it, or when the genuine ping was not delivered"
  })
}).annotations({
  identifier: "PingResult",
  description: "Result of a ping, without the endpoint's response body"
})
export type PingResult = typeof PingResult.Type

/** Distinct names of the events that a subscription receives. */
const Events = Schema.Array(EventName)
  .annotations({ message: () => "must be a list of event names" })
  .pipe(
    Schema.minItems(1, { message: () => "must have at least one event" }),
    Schema.maxItems(subscribable.length, { message: () => `must name at most ${subscribable.length} events` }),
    Schema.filter((names) => new Set(names).size === names.length, {
      jsonSchema: { uniqueItems: true },
      message: () => "must not have an event twice"
    })
  )

const longestDescription = 500

/** The subscriber's own note, without NUL, the only character that PostgreSQL's `text` cannot store. */
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
    description: "Event types to receive, each once; `GET /event-types` lists them"
  }),
  format: Schema.optionalWith(Format, { default: () => "json", exact: true }).annotations({
    description:
      "Format of deliveries: `json`, the event (default); `slack`, `discord`, `teams`: a chat message for the incoming webhooks of these services"
  }),
  description: Schema.optionalWith(Description, { default: () => null, exact: true }).annotations({
    description: "Description, at most 500 characters; optional"
  })
}).annotations({ identifier: "CreateWebhook", description: "URL and events of the endpoint" })
export type CreateSubscription = typeof CreateSubscription.Type

/** Body of `PATCH /webhooks/{id}`: absent fields stay. */
export const PatchSubscription = Schema.Struct({
  url: Schema.optionalWith(WebhookUrl, { exact: true }),
  events: Schema.optionalWith(Events, { exact: true }).annotations({
    description: "Event types to receive; they replace the previous list"
  }),
  format: Schema.optionalWith(Format, { exact: true }).annotations({
    description: "Format of new deliveries; queued deliveries keep theirs"
  }),
  description: Schema.optionalWith(Description, { exact: true }).annotations({
    description: "Description, at most 500 characters; null removes it"
  }),
  is_active: Schema.optionalWith(isActive, { exact: true }).annotations({
    description: "False disables the endpoint and fails its waiting deliveries; true enables it"
  })
}).annotations({ identifier: "PatchWebhook", description: "Fields to change; fields that you leave out stay the same" })
export type PatchSubscription = typeof PatchSubscription.Type

/** Why and when the service stopped delivering: the endpoint returned 410, or accepted nothing for 5 days. */
const Deactivation = Schema.Struct({
  reason: Schema.Literal("gone", "failing").annotations({
    description: "`gone`: the endpoint returned 410 Gone; `failing`: every delivery failed for 5 days"
  }),
  at: field(Timestamp, "When it was disabled")
}).annotations({ identifier: "WebhookDeactivation", description: "Why and when Findable disabled the endpoint" })

/** The stored fields of a subscription, without its secret. */
export const StoredSubscription = Schema.Struct({
  id: WebhookId.annotations({
    description: "Id of the endpoint, `wh_…`"
  }),
  url: WebhookUrl,
  events: Events.annotations({ description: "Event types that it receives" }),
  format: field(Format, "Format of its deliveries"),
  description: Description.annotations({ description: "Description; null when there is none" }),
  is_active: Schema.Boolean.annotations({ description: "Whether the endpoint is enabled" }),
  deactivation: Schema.NullOr(Deactivation).annotations({
    description: "Set when Findable disabled the endpoint"
  }),
  failing_since: Schema.NullOr(Timestamp).annotations({
    description: "Since when every attempt failed; null when the last attempt was accepted"
  }),
  previous_secret_expires_at: Schema.NullOr(Timestamp).annotations({
    description: "Until when deliveries are also signed with the previous secret"
  }),
  created_at: field(Timestamp, "When it was created")
})
export type StoredSubscription = typeof StoredSubscription.Type

const LastDay = Schema.Struct({
  delivered: Schema.NonNegativeInt.annotations({ description: "Accepted deliveries" }),
  failed: Schema.NonNegativeInt.annotations({ description: "Failed deliveries" }),
  pending: Schema.NonNegativeInt.annotations({ description: "Deliveries that are waiting or in progress" })
}).annotations({ identifier: "WebhookLastDay", description: "Deliveries queued in the last 24 hours" })

/** A webhook subscription of the API, without its secret. */
export const Subscription = Schema.Struct({
  ...StoredSubscription.fields,
  last_24h: field(
    LastDay,
    "Deliveries queued in the last 24 hours, by status, including test deliveries but not pings"
  ),
  last_success_at: Schema.NullOr(Timestamp).annotations({
    description:
      "When it last accepted a delivery, including test deliveries; null when no stored delivery was accepted"
  })
}).annotations({ identifier: "Webhook", description: "An endpoint that receives events, without its secret" })
export type Subscription = typeof Subscription.Type

/** The response to creation and to rotation; no other response has the secret. */
export const SubscriptionWithSecret = Schema.Struct({ ...Subscription.fields, secret: Secret }).annotations({
  identifier: "WebhookWithSecret",
  description: "An endpoint with its signing secret"
})

/** The response to a repeated creation, which has the secret for a day. */
export const SubscriptionReplayed = Schema.Struct({
  ...Subscription.fields,
  secret: Schema.optionalWith(Secret, { exact: true })
}).annotations({ identifier: "WebhookReplayed", description: "Result of a repeated creation or rotation" })
export type SubscriptionWithSecret = typeof SubscriptionWithSecret.Type
