import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { sortableId } from "../../foundation/secrets/Entropy.ts"

/** An id of one event, the same on every attempt and replay: what a receiver deduplicates by. */
export const EventId = Schema.String.pipe(Schema.pattern(/^evt_[0-9a-hjkmnp-tv-z]{26}$/), Schema.brand("EventId"))
export type EventId = typeof EventId.Type

/** Makes an id for a new event. */
export const makeEventId = Effect.map(sortableId, (text) => EventId.make(`evt_${text}`))
