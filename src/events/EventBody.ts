import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Timestamp } from "../schema/Fields.ts"
import { type EventType, Payload } from "../webhooks/Catalogue.ts"
import type { EventId } from "../webhooks/Domain.ts"
import type { EventKind } from "./EventKind.ts"

/** The body of a delivery: made once, stored, and sent as the same UTF-8 bytes on every attempt. */
export const EventBody = Schema.String.pipe(Schema.brand("webhooks/EventBody"))
export type EventBody = typeof EventBody.Type

/** What an event is made of. */
export interface EventParts<Data> {
  readonly id: EventId
  readonly createdAt: DateTime.Utc
  readonly data: Data
}

/**
 * Writes `{"id","type","created_at","data"}` of an event; fails when the data breaks its own schema.
 *
 * PostgreSQL's `text` keeps it to the byte, because JSON escapes what `text` or UTF-8 could not hold: NUL and lone surrogates.
 */
export const make = <Type extends string, Data, Encoded>(
  kind: EventKind<Type, Data, Encoded>,
  event: EventParts<NoInfer<Data>>
): Effect.Effect<EventBody, ParseResult.ParseError> =>
  Effect.all({
    created_at: Schema.encode(Timestamp)(event.createdAt),
    data: Schema.encode(kind.data)(event.data)
  }).pipe(
    Effect.map(({ created_at, data }) =>
      EventBody.make(JSON.stringify({ id: event.id, type: kind.type, created_at, data }))
    )
  )

const decodePayload = Schema.decodeUnknown(Payload)

/** The same for data of which nothing is known yet; what the schema does not name is left out. */
export const makeOfJson = (
  { createdAt, data, id }: EventParts<unknown>,
  type: EventType
): Effect.Effect<EventBody, ParseResult.ParseError> =>
  Schema.encode(Timestamp)(createdAt).pipe(
    Effect.flatMap((created_at) => decodePayload({ id, type, created_at, data }, { errors: "all" })),
    Effect.flatMap(Schema.encode(Payload)),
    Effect.map((payload) => EventBody.make(JSON.stringify(payload)))
  )

const utf8 = new TextEncoder()

/** The bytes that are signed and sent. */
export const bytes = (body: EventBody): Uint8Array<ArrayBuffer> => utf8.encode(body)
