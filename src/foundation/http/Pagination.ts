import * as Schema from "effect/Schema"
import { warnings } from "./RequestSchemas.ts"

/** Page sizes of all lists. */
export const limits = { default: 20, maximum: 100 } as const

/** Records per page: an integer from 1 to 100, 20 by default. */
const Limit = Schema.String.pipe(
  Schema.filter((text) => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= limits.maximum, {
    message: () => `must be an integer from 1 to ${limits.maximum}`
  }),
  Schema.transform(Schema.Number, { strict: true, decode: Number, encode: String }),
  Schema.annotations({ jsonSchema: { type: "integer", minimum: 1, maximum: limits.maximum, default: limits.default } })
)

/** The query parameters that every list takes. */
export const PageParameters = {
  limit: Schema.optionalWith(Limit, { default: () => limits.default, exact: true }),
  cursor: Schema.optionalWith(Schema.String.annotations({ description: "`meta.next_cursor` of the page before" }), {
    exact: true
  })
}

/** Page metadata: `next_cursor` is present exactly when `has_next` is true. */
export const PageMeta = Schema.Struct({
  per_page: Schema.Int,
  has_next: Schema.Boolean,
  total_in_batch: Schema.Int,
  next_cursor: Schema.optional(Schema.String),
  ...warnings
}).annotations({ identifier: "PageMeta" })

/** Absolute URLs of this page and, if there is one, of the next. */
export const PageLinks = Schema.Struct({ self: Schema.String, next: Schema.optional(Schema.String) }).annotations({
  identifier: "PageLinks"
})

/** A page of records. */
export const Page = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.Struct({ data: Schema.Array(schema), meta: PageMeta, links: PageLinks })
