import * as Schema from "effect/Schema"
import { Timestamp } from "../../foundation/schema/Time.ts"
import * as EventKind from "../events/EventKind.ts"

import { DeliveryId, retryDelays, WebhookId } from "./Domain.ts"

/** A test delivery; no subscription can list it, and it reaches a subscription regardless of its events. */
export const webhookPing = EventKind.make({
  type: "webhook.ping",
  description: "A ping, sent on request and not retried.",
  data: Schema.Struct({ webhook_id: WebhookId.annotations({ description: "The pinged endpoint" }) }),
  example: { webhook_id: "wh_01kakx3q7m8v2b5n9r4t6w0yzc" }
})

/** The service deactivated another subscription of the account. */
export const webhookDeactivated = EventKind.make({
  type: "webhook.deactivated",
  description: "Findable disabled another endpoint of the account.",
  data: Schema.Struct({
    webhook_id: WebhookId.annotations({ description: "The disabled endpoint" }),
    url: Schema.String.annotations({ description: "URL of the endpoint" }),
    reason: Schema.Literal("gone", "failing").annotations({
      description: "`gone`: the endpoint returned 410 Gone; `failing`: every delivery failed for 5 days"
    }),
    since: Timestamp.annotations({ description: "Since when every attempt failed" })
  }),
  example: {
    webhook_id: "wh_01kakx3q7m8v2b5n9r4t6w0yzc",
    url: "https://hooks.example.com/findable",
    reason: "failing",
    since: "2026-11-16T09:30:00.000000+00:00"
  }
})

/** A delivery to another subscription of the account failed permanently. */
export const deliveryExhausted = EventKind.make({
  type: "delivery.exhausted",
  description: "All attempts of a delivery to another endpoint of the account failed.",
  data: Schema.Struct({
    webhook_id: WebhookId.annotations({ description: "The endpoint of the failed delivery" }),
    delivery_id: DeliveryId.annotations({
      description: "Id of the delivery, for `GET /webhooks/{id}/deliveries/{id}`"
    }),
    event_id: EventKind.EventId.annotations({ description: "Id of the event" }),
    event_type: Schema.String.annotations({ description: "Type of the event" }),
    attempts: Schema.Int.pipe(Schema.positive()).annotations({ description: "Number of attempts" }),
    last_status_code: Schema.NullOr(Schema.Int).annotations({
      description: "HTTP status of the last response; null without one"
    })
  }),
  example: {
    webhook_id: "wh_01kakx3q7m8v2b5n9r4t6w0yzc",
    delivery_id: "dlv_01kakx3q7m8v2b5n9r4t6w0yzc",
    event_id: "evt_01kakx3q7m8v2b5n9r4t6w0yzc",
    event_type: "audit.completed",
    attempts: retryDelays.length + 1,
    last_status_code: 503
  }
})
