import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Scalars.ts"
import { Moment } from "../../foundation/schema/Time.ts"
import { sortableId } from "../../foundation/secrets/Entropy.ts"

/** The id of an event, equal on every attempt and replay, for deduplication by the endpoint. */
export const EventId = Schema.String.pipe(Schema.pattern(/^evt_[0-9a-hjkmnp-tv-z]{26}$/), Schema.brand("EventId"))
export type EventId = typeof EventId.Type

/** Makes an id for a new event. */
export const makeEventId = Effect.map(sortableId, (text) => EventId.make(`evt_${text}`))

interface Declaration<Type extends string, Data, Encoded> {
  readonly type: Type
  /** Describes when the event is emitted. */
  readonly description: string
  readonly data: Schema.Schema<Data, Encoded>
  /** The encoded data of one event. */
  readonly example: NoInfer<Encoded>
}

/** `audit.completed` as `AuditCompleted`. */
const pascal = (type: string): string =>
  type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")

/** Declares a type of event by its name, its meaning and the schema of its `data`. Derives the schema of a whole delivery body. */
export const make = <Type extends string, Data, Encoded>(declaration: Declaration<Type, Data, Encoded>) => {
  const read = Schema.decodeUnknown(declaration.data, { errors: "all" })
  const write = Schema.encode(declaration.data)
  return {
    ...declaration,
    /** The encoded data of one event. */
    encode: write,
    /** Encodes unvalidated data, without fields outside the schema. */
    encodeUnknown: (data: unknown): Effect.Effect<unknown, ParseResult.ParseError> =>
      Effect.flatMap(read(data), (known) => write(known)),
    payload: Schema.Struct({
      id: EventId.annotations({
        description: "Id of the event, `evt_…`, the same on every attempt and in every delivery: use it to deduplicate"
      }),
      type: Schema.Literal(declaration.type).annotations({ description: "Type of the event" }),
      test: Schema.optionalWith(Schema.Literal(true), { exact: true }).annotations({
        description: "Only in test deliveries: `data` is an example, and nothing happened"
      }),
      created_at: Moment.annotations({ description: "When it happened, ISO 8601 in UTC" }),
      data: field(
        declaration.data.annotations({
          identifier: `${pascal(declaration.type)}Data`,
          description: declaration.description
        }),
        "What happened, depending on the type"
      )
    }).annotations({ identifier: `${pascal(declaration.type)}Event`, description: declaration.description }),
    examplePayload: {
      id: "evt_01kakx3q7m8v2b5n9r4t6w0yzc",
      type: declaration.type,
      created_at: "2026-11-21T09:30:00.000000+00:00",
      data: declaration.example
    }
  }
}

/** One type of event. */
export type EventKind<Type extends string, Data, Encoded> = ReturnType<typeof make<Type, Data, Encoded>>

/** JSON values. */
type Json = unknown

interface Cuts {
  /** The most elements of a list. */
  readonly list: number
  /** The most characters of a text. */
  readonly text: number
}

const isObject = (value: Json): value is Readonly<Record<string, Json>> => typeof value === "object" && value !== null

/** Cuts lists and texts, and marks the nearest object around each cut, even through nested lists. */
const cut = (value: Json, cuts: Cuts, mark: () => void): Json => {
  if (typeof value === "string") {
    if (value.length <= cuts.text) return value
    mark()
    return value.slice(0, cuts.text)
  }
  if (Array.isArray(value)) {
    if (value.length > cuts.list) mark()
    return value.slice(0, cuts.list).map((element) => cut(element, cuts, mark))
  }
  if (!isObject(value)) return value
  let truncated = false
  const markThis = () => {
    truncated = true
  }
  const entries = Object.entries(value).map(([name, member]) => [name, cut(member, cuts, markThis)])
  return { ...Object.fromEntries(entries), ...(truncated ? { truncated } : {}) }
}

/** The largest number from 0 to `most` that fits, if every smaller number fits too. */
const largest = (most: number, fits: (tried: number) => boolean): number => {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

const longest = 1_000_000

/**
 * Makes data fit: cuts all lists to one length, and, if necessary, texts too. `truncated: true` is beside each cut. Data that cannot fit become `{"truncated":
 * true}`.
 */
const truncated = (data: Json, fits: (data: Json) => boolean): Json => {
  const made = (cuts: Cuts) => cut(data, cuts, () => {})
  const list = largest(longest, (list) => fits(made({ list, text: longest })))
  const lists = made({ list, text: longest })
  if (fits(lists)) return lists
  const text = largest(longest, (text) => fits(made({ list: 0, text })))
  const texts = made({ list: 0, text })
  return fits(texts) ? texts : { truncated: true }
}

/** The body of a delivery: made once, stored, and sent as identical UTF-8 bytes on every attempt. */
export const EventBody = Schema.String.pipe(Schema.brand("EventBody"))
export type EventBody = typeof EventBody.Type

/** The parts of an event. */
interface EventParts<Data> {
  readonly id: EventId
  readonly createdAt: DateTime.Utc
  readonly data: Data
  /** Present for the event of a test delivery. */
  readonly test?: true
}

const encodeMoment = Schema.encode(Moment)

const utf8 = new TextEncoder()

/** The most bytes of a body. */
export const mostBytes = 256 * 1024

/**
 * Writes `{"id","type","created_at","data"}` of an event with encoded data; for a test delivery with `"test":true` beside `type`.
 *
 * A body beyond 256 KiB is cut, because its size must never fail the publishing transaction. PostgreSQL's `text` keeps every byte of the body: JSON escapes NUL
 * and lone surrogates, which `text` or UTF-8 cannot hold.
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

/** Writes the body of an event with data of its kind; fails when the data do not match the schema. */
export const makeBody = <Type extends string, Data, Encoded>(
  kind: EventKind<Type, Data, Encoded>,
  { data, ...parts }: EventParts<NoInfer<Data>>
): Effect.Effect<EventBody, ParseResult.ParseError> =>
  Effect.flatMap(kind.encode(data), (encoded) => ofEncoded(kind.type, { ...parts, data: encoded }))

/** The bytes to sign and to send. */
export const bytes = (body: EventBody): Uint8Array<ArrayBuffer> => utf8.encode(body)
