import * as Schema from "effect/Schema"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { EventName, subscribable } from "../Catalogue.ts"
import { WebhookId, WebhookUrl } from "../Domain.ts"
import { Secret } from "../signature/Secret.ts"

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
  events: Events,
  description: Schema.optionalWith(Description, { default: () => null, exact: true })
}).annotations({ identifier: "CreateWebhook" })
export type CreateSubscription = typeof CreateSubscription.Type

/** Body of `PATCH /webhooks/{id}`: what is absent stays as it is. */
export const PatchSubscription = Schema.Struct({
  url: Schema.optionalWith(WebhookUrl, { exact: true }),
  events: Schema.optionalWith(Events, { exact: true }),
  description: Schema.optionalWith(Description, { exact: true }),
  is_active: Schema.optionalWith(isActive, { exact: true })
}).annotations({ identifier: "PatchWebhook" })
export type PatchSubscription = typeof PatchSubscription.Type

/** Why and when the service stopped delivering: the receiver answered 410, or nothing was accepted for 5 days. */
const Deactivation = Schema.Struct({
  reason: Schema.Literal("gone", "failing"),
  at: Timestamp
})

/** A webhook subscription as the API shows it; its secret is not a part of it. */
export const Subscription = Schema.Struct({
  id: WebhookId,
  url: WebhookUrl,
  events: Events,
  description: Description,
  is_active: Schema.Boolean,
  deactivation: Schema.NullOr(Deactivation).annotations({
    description: "Set when the service deactivated the subscription"
  }),
  failing_since: Schema.NullOr(Timestamp).annotations({
    description: "Time since which no attempt was accepted; null when the last one was accepted"
  }),
  previous_secret_expires_at: Schema.NullOr(Timestamp).annotations({
    description: "Until then deliveries are also signed with the secret before the last rotation"
  }),
  created_at: Timestamp
}).annotations({ identifier: "Webhook" })
export type Subscription = typeof Subscription.Type

/** The answer to creation and to rotation, the only ones that show the secret. */
export const SubscriptionWithSecret = Schema.Struct({ ...Subscription.fields, secret: Secret }).annotations({
  identifier: "WebhookWithSecret"
})

/** The answer to a creation that is sent again: the secret is in it for a day. */
export const SubscriptionReplayed = Schema.Struct({
  ...Subscription.fields,
  secret: Schema.optionalWith(Secret, { exact: true })
}).annotations({ identifier: "WebhookReplayed" })
export type SubscriptionWithSecret = typeof SubscriptionWithSecret.Type
