import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { sortableId } from "../../foundation/secrets/Entropy.ts"

/** An id of one subscription. */
export const WebhookId = Schema.String.pipe(
  Schema.pattern(/^wh_[0-9a-hjkmnp-tv-z]{26}$/),
  Schema.brand("webhooks/WebhookId")
)
export type WebhookId = typeof WebhookId.Type

/** An id of one delivery: one event on its way to one subscription. The database makes it (`new_delivery_id` in sql/0004_webhooks.sql). */
export const DeliveryId = Schema.String.pipe(
  Schema.pattern(/^dlv_[0-9a-hjkmnp-tv-z]{26}$/),
  Schema.brand("webhooks/DeliveryId")
)
export type DeliveryId = typeof DeliveryId.Type

/** Makes an id for a new subscription. */
export const makeWebhookId = Effect.map(sortableId, (text) => WebhookId.make(`wh_${text}`))
