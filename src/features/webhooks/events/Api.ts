import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { about, Data, described, input, list, PageParameters, read } from "../../../foundation/http/Contract.ts"
import { preferring } from "../../../foundation/http/Prefer.ts"
import { field } from "../../../foundation/schema/Scalars.ts"
import { Moment, Timestamp } from "../../../foundation/schema/Time.ts"
import { WebhooksRead } from "../../accounts/Authorized.ts"
import { EventId } from "../../events/EventKind.ts"
import { EventName, subscribable } from "../Catalogue.ts"
import { OfEvent } from "../Domain.ts"

const isName = Schema.is(EventName)
const types = subscribable.map(({ type }) => type)
const names = types.join(", ")
const oneOf = `(?:${types.join("|").replaceAll(".", "\\.")})`

/** Names with commas between them; in whatever order they are written, and however often, they are the same list. */
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
    description: "Only events of these types, with commas between them"
  }),
  since: Schema.optionalWith(Moment.annotations({ description: "Events of this time and later" }), { exact: true }),
  until: Schema.optionalWith(Moment.annotations({ description: "Events before this time" }), { exact: true }),
  order: Schema.optionalWith(Order, { exact: true }).annotations({
    description:
      "`desc`, the default: the newest first; `asc`: the oldest first, in an order in which an event that commits late comes late"
  }),
  after: Schema.optionalWith(EventId.annotations({ message: () => "must be an event id" }), {
    exact: true
  }).annotations({
    description:
      "Id of an event, `evt_…`: only events that come after it in the order `asc`, which it implies; not with `cursor`. An id that is another account's, or no longer kept, is `invalid_cursor`"
  })
})
export type Filters = typeof Filters.Type

/** How long a request may wait for an event. */
export const nextEvent = { most: 50, when: "there is an event to list" } as const

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

/** The events of an account, and the catalogue of their types. */
export class EventsApi extends HttpApiGroup.make("events")
  .annotateContext(about("The events of the account, and the catalogue of event types."))
  .add(
    list("list", "/events", {
      summary: "List events",
      description:
        "The account's events that are still kept, whether a webhook received them or not: the newest first (`created_at`, then `id`), or with `order=asc` the oldest first. A reader who goes on `after` the last event it read passes by none, however late one commits; with `Prefer: wait` its request waits for the next.",
      of: PublishedEvent,
      scope: WebhooksRead
    })
      .setUrlParams(input(Filters))
      .annotateContext(preferring(nextEvent))
  )
  .add(
    read("get", "/events/:event_id", {
      summary: "Read an event",
      description: "One event as its receivers get it.",
      ids: OfEvent,
      of: PublishedEvent,
      scope: WebhooksRead
    })
  )
  .add(
    HttpApiEndpoint.get("types", "/event-types")
      .annotateContext(
        described(
          "List types of events",
          "Every type that is ever delivered, with the JSON Schema of its body and an example."
        )
      )
      .addSuccess(Data(Schema.Array(EventTypeInfo)))
      .middleware(WebhooksRead)
  )
  .prefix("/api/v1") {}
