import * as Schema from "effect/Schema"
import { field } from "../schema/Field.ts"
import { warnings } from "./RequestSchemas.ts"

/** Names a request, so that it can be sent again safely. Keys are kept per account and do not expire. */
const IdempotencyKey = Schema.String.pipe(
  Schema.filter((key) => /^[\x20-\x7e]{8,200}$/.test(key), {
    message: () => "must be 8 to 200 printable ASCII characters"
  }),
  Schema.annotations({
    description:
      "Names this request, so that it can be sent again safely: 8 to 200 printable ASCII characters, kept per account without end; empty counts as absent",
    jsonSchema: { maxLength: 200, minLength: 8, pattern: "^[\\x20-\\x7e]+$" }
  })
)

/** The header of every request that creates something. */
export const IdempotencyHeaders = Schema.Struct({
  "idempotency-key": Schema.optionalWith(IdempotencyKey, { exact: true })
}).annotations({ parseOptions: { errors: "all" } })

/** Why a creation made nothing new. */
const CreationMeta = Schema.Struct({
  existing: Schema.optionalWith(Schema.Literal(true), { exact: true }).annotations({
    description: "There is one already: this is it"
  }),
  idempotent_replay: Schema.optionalWith(Schema.Literal(true), { exact: true }).annotations({
    description: "The `Idempotency-Key` was used before: this is what it made"
  }),
  ...warnings
}).annotations({ identifier: "CreationMeta", description: "Why a creation made nothing new" })

/** The answer to a creation: 201 with the new thing, or 200 with the earlier one. */
export const Created = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.Struct({
    data: field(schema, "The new thing, or the earlier one"),
    meta: Schema.optionalWith(CreationMeta, { exact: true }).annotations({
      description: "Why nothing new was made; absent when something was"
    })
  })
