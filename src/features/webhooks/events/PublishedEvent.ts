import * as Schema from "effect/Schema"
import { field } from "../../../foundation/schema/Field.ts"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { EventId } from "../../events/EventId.ts"

/** An event of the account as receivers get it, also when no webhook was subscribed. */
export const PublishedEvent = Schema.Struct({
  id: EventId.annotations({ description: "Id of the event, `evt_…`: what receivers deduplicate by" }),
  type: Schema.String.annotations({ description: "One of the names of `GET /event-types`" }),
  created_at: field(Timestamp, "When it happened"),
  data: Schema.Unknown.annotations({ jsonSchema: { description: "As the schema of the type says" } })
}).annotations({
  identifier: "Event",
  description: "An event of the account as receivers get it, also when no webhook was subscribed"
})
export type PublishedEvent = typeof PublishedEvent.Type

/** A type of event: its meaning, its schema and an example. */
export const EventTypeInfo = Schema.Struct({
  name: Schema.String.annotations({
    description: "Name as subscriptions list it, such as `audit.completed`"
  }),
  description: Schema.String.annotations({ description: "When it is emitted" }),
  subscribable: Schema.Boolean.annotations({ description: "Whether a webhook may list it" }),
  schema: Schema.Unknown.annotations({ jsonSchema: { description: "JSON Schema of the body of a delivery" } }),
  example: Schema.Unknown.annotations({ jsonSchema: { description: "A body of a delivery" } })
}).annotations({ identifier: "EventType", description: "A type of event: its meaning, its schema and an example" })
export type EventTypeInfo = typeof EventTypeInfo.Type
