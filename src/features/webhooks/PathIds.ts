import * as Schema from "effect/Schema"
import { EventId } from "../events/EventId.ts"
import { DeliveryId, WebhookId } from "./Domain.ts"

/** An id in a path: a malformed one becomes an id that no row has, so the request ends as 404 after all checks that come before ownership. */
const inPath = <A extends string>(id: Schema.Schema<A, string>, prefix: string) => {
  const is = Schema.is(id)
  return Schema.transform(Schema.String, Schema.typeSchema(id), {
    strict: false,
    decode: (text) => (is(text) ? text : `${prefix}_${"0".repeat(26)}`),
    encode: (text) => text
  })
}

/** The path of one subscription. */
export const OfWebhook = Schema.Struct({ webhook_id: inPath(WebhookId, "wh") })

/** The path of one delivery of a subscription. */
export const OfDelivery = Schema.Struct({ ...OfWebhook.fields, delivery_id: inPath(DeliveryId, "dlv") })

/** The path of one event. */
export const OfEvent = Schema.Struct({ event_id: inPath(EventId, "evt") })
