import * as Schema from "effect/Schema"
import { field } from "../schema/Field.ts"
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
  limit: Schema.optionalWith(Limit, { default: () => limits.default, exact: true }).annotations({
    description: "Records per page, 1 to 100"
  }),
  cursor: Schema.optionalWith(Schema.String, {
    exact: true
  }).annotations({ description: "`meta.next_cursor` of the page before; empty or absent: the first page" })
}

/** Page metadata: `next_cursor` is present exactly when `has_next` is true. */
export const PageMeta = Schema.Struct({
  per_page: Schema.Int.annotations({ description: "Records that a page has at most, as `limit` says" }),
  has_next: Schema.Boolean.annotations({ description: "Whether there is a page after this one" }),
  total_in_batch: Schema.Int.annotations({ description: "Records on this page" }),
  next_cursor: Schema.optional(Schema.String).annotations({
    description: "`cursor` of the next page; absent on the last one"
  }),
  ...warnings
}).annotations({ identifier: "PageMeta", description: "Where the page stands in its list" })

/** Absolute URLs of this page and, if there is one, of the next. */
export const PageLinks = Schema.Struct({
  self: Schema.String.annotations({ description: "URL of this page" }),
  next: Schema.optional(Schema.String).annotations({ description: "URL of the next page; absent on the last one" })
}).annotations({ identifier: "PageLinks", description: "Absolute URLs of this page and the next" })

/** A page of records. */
export const Page = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.Struct({
    data: Schema.Array(schema).annotations({ description: "Records of this page, in the order of the list" }),
    meta: field(PageMeta, "Where the page stands in its list"),
    links: field(PageLinks, "URLs of this page and the next")
  })

/** A page of a list whose length is known. */
export const CountedPage = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  Schema.Struct({
    ...Page(schema).fields,
    meta: field(
      Schema.Struct({
        ...PageMeta.fields,
        total: Schema.Int.annotations({ description: "Records on all pages together" })
      }).annotations({
        identifier: "CountedPageMeta",
        description: "Where the page stands in its list, and how long the list is"
      }),
      "Where the page stands in its list, and how long the list is"
    )
  })
