import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Moment } from "../../foundation/schema/Timestamp.ts"
import type { EventId } from "./EventId.ts"
import type { EventKind } from "./EventKind.ts"
import { truncated } from "./Truncated.ts"

/** The body of a delivery: made once, stored, and sent as the same UTF-8 bytes on every attempt. */
export const EventBody = Schema.String.pipe(Schema.brand("EventBody"))
export type EventBody = typeof EventBody.Type

/** The parts of an event. */
interface EventParts<Data> {
  readonly id: EventId
  readonly createdAt: DateTime.Utc
  readonly data: Data
  /** Set on the event of a test delivery. */
  readonly test?: true
}

const encodeMoment = Schema.encode(Moment)

const utf8 = new TextEncoder()

/** The most bytes that a body may have. */
export const mostBytes = 256 * 1024

/**
 * Writes `{"id","type","created_at","data"}` of an event whose data is encoded already; of a test delivery with `"test":true` beside `type`.
 *
 * A body that would exceed 256 KiB is cut, because its size must never fail the publishing transaction. PostgreSQL's `text` keeps it to the byte: JSON
 * escapes what `text` or UTF-8 cannot hold, NUL and lone surrogates.
 */
export const ofEncoded = (
  type: string,
  { createdAt, data, id, test }: EventParts<unknown>
): Effect.Effect<EventBody, ParseResult.ParseError> =>
  Effect.map(encodeMoment(createdAt), (created_at) => {
    const written = (data: unknown) => JSON.stringify({ id, type, test, created_at, data })
    const fits = (data: unknown) => utf8.encode(written(data)).length <= mostBytes
    return EventBody.make(written(fits(data) ? data : truncated(data, fits)))
  })

/** The same of data as its kind declares it; fails when the data breaks its schema. */
export const make = <Type extends string, Data, Encoded>(
  kind: EventKind<Type, Data, Encoded>,
  { data, ...parts }: EventParts<NoInfer<Data>>
): Effect.Effect<EventBody, ParseResult.ParseError> =>
  Effect.flatMap(kind.encode(data), (encoded) => ofEncoded(kind.type, { ...parts, data: encoded }))

/** The bytes that are signed and sent. */
export const bytes = (body: EventBody): Uint8Array<ArrayBuffer> => utf8.encode(body)
