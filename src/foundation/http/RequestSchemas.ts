import * as Schema from "effect/Schema"
import { field } from "../schema/Field.ts"
import { isUuid } from "../schema/Scalars.ts"

/** Stands for a malformed id in a path: no row has it, so it is not found. */
const nil = "00000000-0000-0000-0000-000000000000"

/** An id in a path. A malformed one names nothing, so the request ends with 404, after all checks that come before ownership. */
export const inPath = <A extends string>(id: Schema.Schema<A, string>) =>
  Schema.transform(Schema.String, Schema.typeSchema(id), {
    strict: false,
    decode: (text) => (isUuid(text) ? text.toLowerCase() : nil),
    encode: (text) => text
  })

declare const sent: unique symbol

/** The type that a caller writes, before defaults are filled in: a phantom type that typed clients read. */
export interface Sent<I> {
  readonly [sent]?: I
}

/** Reports every invalid field, not only the first. */
export function input<A, I, R>(schema: Schema.Schema<A, I, R>): Schema.Schema<A & Sent<I>, I, R>
export function input(schema: Schema.Schema.All): unknown {
  return schema.annotations({ parseOptions: { errors: "all" } })
}

/** A request body: every invalid field is reported, and unknown fields are invalid. */
export function body<A, I, R>(schema: Schema.Schema<A, I, R>): Schema.Schema<A & Sent<I>, I, R>
export function body(schema: Schema.Schema.All): unknown {
  return schema.annotations({ parseOptions: { errors: "all", onExcessProperty: "error" } })
}

/** Remarks on a request that was carried out, such as query parameters that the endpoint does not know; in `meta` of any JSON answer. */
export const warnings = {
  warnings: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }).annotations({
    description: "Remarks on the request: query parameters that are unknown and had no effect"
  })
}

const Meta = Schema.Struct(warnings).annotations({ identifier: "Meta", description: "Remarks on the request" })

/** A success body: the payload under `data`. */
export const Data = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.Struct({
    data: field(schema, "What was read, made or changed"),
    meta: Schema.optionalWith(Meta, { exact: true }).annotations({
      description: "Remarks on the request; absent when there are none"
    })
  })
