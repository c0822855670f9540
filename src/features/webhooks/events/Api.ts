import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import {
  about,
  Data,
  described,
  exportableList,
  input,
  Page,
  PageParameters,
  read
} from "../../../foundation/http/Contract.ts"
import { preferring } from "../../../foundation/http/Prefer.ts"
import { field } from "../../../foundation/schema/Scalars.ts"
import { Moment, Timestamp } from "../../../foundation/schema/Time.ts"
import { WebhooksRead } from "../../accounts/Authorized.ts"
import { EventId } from "../../events/EventKind.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { EventName, subscribable } from "../Catalogue.ts"
import { OfEvent } from "../Domain.ts"

const isName = Schema.is(EventName)
const types = subscribable.map(({ type }) => type)
const names = types.join(", ")
const oneOf = `(?:${types.join("|").replaceAll(".", "\\.")})`

/** Names separated by commas; order and repetitions do not matter. */
const EventNames = Schema.String.pipe(
  Schema.filter((text) => text.split(",").every(isName), {
    jsonSchema: { examples: ["audit.completed,audit.failed"], pattern: `^${oneOf}(?:,${oneOf})*$` },
    message: () => `must be one of ${names}, or several of them with commas between them`
  }),
  Schema.transform(Schema.Array(EventName), {
    strict: true,
    decode: (text) => [...new Set(text.split(","))].filter(isName).sort(),
    encode: (types) => types.join(",")
  })
)

const Order = Schema.Literal("asc", "desc").annotations({
  message: () => ({ message: "must be asc or desc", override: true })
})

/** The query of `GET /events`. */
export const Filters = Schema.Struct({
  ...PageParameters,
  type: Schema.optionalWith(EventNames, { exact: true }).annotations({
    description: "Only events of these types, separated by commas"
  }),
  project_id: Schema.optionalWith(ProjectId, { exact: true }).annotations({
    description: "UUID of a site: only events that name it"
  }),
  since: Schema.optionalWith(Moment.annotations({ description: "Only events since this time" }), { exact: true }),
  until: Schema.optionalWith(Moment.annotations({ description: "Only events before this time" }), { exact: true }),
  order: Schema.optionalWith(Order, { exact: true }).annotations({
    description: "`desc` (default): latest first; `asc`: oldest first, in an order that never skips an event"
  }),
  after: Schema.optionalWith(EventId.annotations({ message: () => "must be an event id" }), {
    exact: true
  }).annotations({
    description:
      "Id of an event, `evt_…`: only events after it, in the order `asc`; not together with `cursor`. An id of another account, or of a deleted event, returns `invalid_cursor`"
  })
})
export type Filters = typeof Filters.Type

/** How long a request may wait for an event. */
export const nextEvent = { most: 50, when: "there is an event to list" } as const

/** An event of the account as endpoints receive it, also without any webhook. */
export const PublishedEvent = Schema.Struct({
  id: EventId.annotations({ description: "Id of the event, `evt_…`: use it to deduplicate" }),
  type: Schema.String.annotations({ description: "Event type, as in `GET /event-types`" }),
  created_at: field(Timestamp, "When it happened"),
  data: Schema.Unknown.annotations({ jsonSchema: { description: "Data of the event, by the schema of its type" } })
}).annotations({
  identifier: "Event",
  description: "An event of the account, as delivered, whether an endpoint received it or not"
})
export type PublishedEvent = typeof PublishedEvent.Type

/** A type of event: its meaning, its schema and an example. */
export const EventTypeInfo = Schema.Struct({
  name: Schema.String.annotations({
    description: "Event type, such as `audit.completed`"
  }),
  description: Schema.String.annotations({ description: "When the event happens" }),
  subscribable: Schema.Boolean.annotations({ description: "Whether endpoints can subscribe to it" }),
  schema: Schema.Unknown.annotations({ jsonSchema: { description: "JSON Schema of the body of a delivery" } }),
  example: Schema.Unknown.annotations({ jsonSchema: { description: "A body of a delivery" } })
}).annotations({ identifier: "EventType", description: "An event type with its meaning, schema and an example" })
export type EventTypeInfo = typeof EventTypeInfo.Type

/** The events of an account, and the catalogue of their types. */
export class EventsApi extends HttpApiGroup.make("events")
  .annotateContext(about("The event log of your account, and all event types."))
  .add(
    exportableList("list", "/events", {
      page: Page(PublishedEvent),
      summary: "List events",
      description:
        "Stored events of your account, whether an endpoint received them or not: latest first (`created_at`, then `id`), or oldest first with `order=asc`. To read every event once, pass the id of the last one as `after`; with `Prefer: wait`, the request waits for the next event. CSV and NDJSON have the whole list.",
      scope: WebhooksRead
    })
      .setUrlParams(input(Filters))
      .annotateContext(preferring(nextEvent))
  )
  .add(
    read("get", "/events/:event_id", {
      summary: "Get an event",
      description: "Returns one event as delivered.",
      ids: OfEvent,
      of: PublishedEvent,
      scope: WebhooksRead
    })
  )
  .add(
    HttpApiEndpoint.get("types", "/event-types")
      .annotateContext(
        described("List event types", "All event types, each with the JSON Schema of its body and an example.")
      )
      .addSuccess(Data(Schema.Array(EventTypeInfo)))
      .middleware(WebhooksRead)
  )
  .prefix("/api/v1") {}
