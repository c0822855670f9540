import * as Schema from "effect/Schema"
import { PageParameters } from "../../../foundation/http/Pagination.ts"
import { Moment } from "../../../foundation/schema/Timestamp.ts"
import { EventId } from "../../events/EventId.ts"
import { EventType } from "../Catalogue.ts"
import { DeliveryStatus } from "./Delivery.ts"

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
