import type * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const decode = Schema.decodeUnknown(Schema.Struct({ rowCount: Schema.Number }))

/** Runs a statement for its effect and answers how many rows it wrote, as the server counts them. */
export const affected = (statement: Statement.Statement<unknown>): Effect.Effect<number> =>
  statement.raw.pipe(
    Effect.flatMap((result) => decode(result)),
    Effect.map(({ rowCount }) => rowCount),
    Effect.orDie
  )
