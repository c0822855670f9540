import * as Schema from "effect/Schema"
import { PageParameters } from "../../../foundation/http/Pagination.ts"
import { Moment } from "../../../foundation/schema/Timestamp.ts"
import { EventId } from "../../events/EventId.ts"
import { EventName, subscribable } from "../Catalogue.ts"

const isName = Schema.is(EventName)
const names = subscribable.map(({ type }) => type).join(", ")

/** Names with commas between them; in whatever order they are written, and however often, they are the same list. */
const EventNames = Schema.String.pipe(
  Schema.filter((text) => text.split(",").every(isName), {
    jsonSchema: { examples: ["audit.completed,audit.failed"] },
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
