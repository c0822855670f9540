import * as Schema from "effect/Schema"

/** The id that a malformed id in a path is read as: no row has it, so it is simply not found. */
const nil = "00000000-0000-0000-0000-000000000000"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A UUID in a body or query: malformed ones are invalid input. */
export const Uuid = Schema.String.pipe(
  Schema.filter((text) => uuid.test(text), { message: () => "must be a UUID" }),
  Schema.annotations({ jsonSchema: { type: "string", format: "uuid" } })
)

/** An id in a path: a malformed one names nothing, so the request ends as 404 after all checks that come before ownership. */
export const inPath = <A extends string>(id: Schema.Schema<A, string>) =>
  Schema.transform(Schema.String, Schema.typeSchema(id), {
    strict: false,
    decode: (text) => (uuid.test(text) ? text.toLowerCase() : nil),
    encode: (text) => text
  })

/** Text that a person wrote, trimmed; without NUL and lone surrogates, which PostgreSQL's `text` cannot hold. */
export const Text = (longest: number) =>
  Schema.Trim.pipe(
    Schema.filter(
      (text) => text.length >= 1 && text.length <= longest && !text.includes("\u0000") && text.isWellFormed(),
      {
        message: () => `must be 1 to ${longest} characters of valid text`
      }
    ),
    Schema.annotations({ jsonSchema: { type: "string", minLength: 1, maxLength: longest } })
  )

/** ISO 8601 with microseconds and the UTC offset, as the database's `iso()` writes it. */
export const Timestamp = Schema.String.pipe(
  Schema.pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/),
  Schema.annotations({
    jsonSchema: { type: "string", format: "date-time" },
    identifier: "Timestamp",
    examples: ["2026-11-21T08:00:00.000000+00:00"]
  })
)

/** Reports every invalid field of the input, not only the first. */
export const input = <A, I, R>(schema: Schema.Schema<A, I, R>) =>
  schema.annotations({ parseOptions: { errors: "all" } })

/** A success body: the payload under `data`. */
export const Data = <A, I, R>(schema: Schema.Schema<A, I, R>) => Schema.Struct({ data: schema })
