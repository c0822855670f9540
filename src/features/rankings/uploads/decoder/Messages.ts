import * as Schema from "effect/Schema"
import { FileFormat } from "../../FileFormat.ts"
import { Extent } from "../../import/Extent.ts"
import { Dropped } from "../../RawRow.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** How a file is read: the first frame of the process's standard input. */
export const DecodeJob = Schema.Struct({
  format: FileFormat,
  file: Schema.String,
  options: Schema.Struct({
    host: Schema.String,
    origin: optional(Schema.String),
    property: optional(
      Schema.Union(
        Schema.TaggedStruct("Host", { host: Schema.String }),
        Schema.TaggedStruct("Domain", { domain: Schema.String })
      )
    ),
    date: optional(Schema.String),
    notAfter: optional(Schema.String),
    dimensions: optional(Schema.Array(Schema.String))
  })
})
export type DecodeJob = typeof DecodeJob.Type

const Table = Schema.Struct({
  file: Schema.String,
  level: Schema.Literal("queries", "pages", "property", "url"),
  exact: Schema.Boolean
})

/** What the process sends, a frame each. The lines of a load follow its message: `rows` bytes of rows, then those of the variants. */
export const Message = Schema.Union(
  Schema.TaggedStruct("Load", {
    rows: Schema.Int,
    tables: Schema.Array(Table),
    extent: Extent,
    dropped: Dropped,
    passedOver: Schema.Array(Schema.String)
  }),
  Schema.TaggedStruct("Refused", { file: Schema.String, line: Schema.Int, reason: Schema.String }),
  Schema.TaggedStruct("Finished", {})
)
export type Message = typeof Message.Type

export const JobText = Schema.parseJson(DecodeJob)
export const MessageText = Schema.parseJson(Message)
