import * as Schema from "effect/Schema"
import { Timestamp } from "../../foundation/schema/Time.ts"
import * as EventKind from "../events/EventKind.ts"

import { DeliveryId, retryDelays, WebhookId } from "./Domain.ts"

/** A test delivery; it cannot be subscribed to and reaches a subscription regardless of its events. */
export const webhookPing = EventKind.make({
  type: "webhook.ping",
  description: "A test delivery that a ping request sends; not retried.",
  data: Schema.Struct({ webhook_id: WebhookId.annotations({ description: "The subscription that was pinged" }) }),
  example: { webhook_id: "wh_01kakx3q7m8v2b5n9r4t6w0yzc" }
})

/** Another subscription of the account was deactivated by the service. */
export const webhookDeactivated = EventKind.make({
  type: "webhook.deactivated",
  description: "The service deactivated another webhook of the account.",
  data: Schema.Struct({
    webhook_id: WebhookId.annotations({ description: "The webhook that was deactivated" }),
    url: Schema.String.annotations({ description: "Address that received its deliveries" }),
    reason: Schema.Literal("gone", "failing").annotations({
      description: "`gone`: the receiver answered 410; `failing`: for 5 days nothing was accepted"
    }),
    since: Timestamp.annotations({ description: "Time since which no attempt was accepted" })
  }),
  example: {
    webhook_id: "wh_01kakx3q7m8v2b5n9r4t6w0yzc",
    url: "https://hooks.example.com/findable",
    reason: "failing",
    since: "2026-11-16T09:30:00.000000+00:00"
  }
})

/** A delivery to another subscription of the account has failed for good. */
export const deliveryExhausted = EventKind.make({
  type: "delivery.exhausted",
  description: "A delivery to another webhook of the account has failed: none of its attempts was accepted.",
  data: Schema.Struct({
    webhook_id: WebhookId.annotations({ description: "The webhook that did not accept it" }),
    delivery_id: DeliveryId.annotations({
      description: "The delivery, as `GET /webhooks/{id}/deliveries/{id}` reads it"
    }),
    event_id: EventKind.EventId.annotations({ description: "The event that was not accepted" }),
    event_type: Schema.String.annotations({ description: "Type of that event" }),
    attempts: Schema.Int.pipe(Schema.positive()).annotations({ description: "Attempts that were made" }),
    last_status_code: Schema.NullOr(Schema.Int).annotations({
      description: "Status of the last answer; null when none came"
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
