import * as Schema from "effect/Schema"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { EventId } from "../../events/EventId.ts"

/** An event of the account as receivers get it, also when no webhook was subscribed. */
export const PublishedEvent = Schema.Struct({
  id: EventId,
  type: Schema.String.annotations({ description: "One of the names of `GET /event-types`" }),
  created_at: Timestamp,
  data: Schema.Unknown.annotations({ jsonSchema: { description: "As the schema of the type says" } })
}).annotations({ identifier: "Event" })
export type PublishedEvent = typeof PublishedEvent.Type

/** A type of event: its meaning, its schema and an example. */
export const EventTypeInfo = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  subscribable: Schema.Boolean.annotations({ description: "Whether a webhook may list it" }),
  schema: Schema.Unknown.annotations({ jsonSchema: { description: "JSON Schema of the body of a delivery" } }),
  example: Schema.Unknown.annotations({ jsonSchema: { description: "A body of a delivery" } })
}).annotations({ identifier: "EventType" })
export type EventTypeInfo = typeof EventTypeInfo.Type
