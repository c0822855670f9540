import * as Effect from "effect/Effect"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Field.ts"
import { Moment } from "../../foundation/schema/Timestamp.ts"
import { EventId } from "./EventId.ts"

interface Declaration<Type extends string, Data, Encoded> {
  readonly type: Type
  /** When the event is emitted. */
  readonly description: string
  readonly data: Schema.Schema<Data, Encoded>
  /** The data of one event as it goes over the wire. */
  readonly example: NoInfer<Encoded>
}

/** `audit.completed` as `AuditCompleted`. */
const pascal = (type: string): string =>
  type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")

/** Declares a type of event: its name, its meaning, the schema of its `data`, and from these the schema of a whole delivery body. */
export const make = <Type extends string, Data, Encoded>(declaration: Declaration<Type, Data, Encoded>) => {
  const read = Schema.decodeUnknown(declaration.data, { errors: "all" })
  const write = Schema.encode(declaration.data)
  return {
    ...declaration,
    /** The data of one event as it goes over the wire. */
    encode: write,
    /** The same for unvalidated data; fields that the schema does not name are left out. */
    encodeUnknown: (data: unknown): Effect.Effect<unknown, ParseResult.ParseError> =>
      Effect.flatMap(read(data), (known) => write(known)),
    payload: Schema.Struct({
      id: EventId.annotations({
        description: "Id of the event, `evt_…`, the same on every attempt and in every delivery: what to deduplicate by"
      }),
      type: Schema.Literal(declaration.type).annotations({ description: "Type of the event" }),
      test: Schema.optionalWith(Schema.Literal(true), { exact: true }).annotations({
        description: "Only in test deliveries: nothing happened, and `data` is the example of the type"
      }),
      created_at: Moment.annotations({ description: "When it happened, ISO 8601 in UTC" }),
      data: field(
        declaration.data.annotations({
          identifier: `${pascal(declaration.type)}Data`,
          description: declaration.description
        }),
        "What happened, as the type says"
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
