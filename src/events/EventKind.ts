import * as Schema from "effect/Schema"
import { Timestamp } from "../schema/Fields.ts"
import { EventId } from "../webhooks/Domain.ts"

interface Declaration<Type extends string, Data, Encoded> {
  readonly type: Type
  /** When the event is emitted. */
  readonly description: string
  readonly data: Schema.Schema<Data, Encoded>
  /** The data of one event as it goes over the wire. */
  readonly example: NoInfer<Encoded>
}

const identifier = (type: string): string =>
  `${type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")}Event`

/** Declares a type of event: its name, its meaning, the schema of its `data`, and from these the schema of a whole delivery body. */
export const make = <Type extends string, Data, Encoded>(declaration: Declaration<Type, Data, Encoded>) => ({
  ...declaration,
  payload: Schema.Struct({
    id: EventId,
    type: Schema.Literal(declaration.type),
    created_at: Timestamp,
    data: declaration.data
  }).annotations({ identifier: identifier(declaration.type), description: declaration.description }),
  examplePayload: {
    id: "evt_01kakx3q7m8v2b5n9r4t6w0yzc",
    type: declaration.type,
    created_at: "2026-11-21T09:30:00.000000+00:00",
    data: declaration.example
  }
})

/** One type of event. */
export type EventKind<Type extends string, Data, Encoded> = ReturnType<typeof make<Type, Data, Encoded>>
