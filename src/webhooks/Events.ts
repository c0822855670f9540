import * as Schema from "effect/Schema"
import * as EventKind from "../events/EventKind.ts"
import { WebhookId } from "./Domain.ts"

/** A test delivery; it cannot be subscribed to and reaches a subscription whatever its events are. */
export const webhookPing = EventKind.make({
  type: "webhook.ping",
  description: "A test delivery that a ping request sends; not retried.",
  data: Schema.Struct({ webhook_id: WebhookId.annotations({ description: "The subscription that was pinged" }) }),
  example: { webhook_id: "wh_01kakx3q7m8v2b5n9r4t6w0yzc" }
})
