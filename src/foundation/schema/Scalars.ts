import * as Schema from "effect/Schema"

/** Text written by a person, trimmed; without NUL and lone surrogates, which PostgreSQL's `text` cannot hold. */
export const Text = (longest: number) =>
  Schema.transform(
    Schema.String.annotations({ jsonSchema: { minLength: 1, maxLength: longest } }),
    Schema.String.pipe(
      Schema.filter(
        (text) => text.length >= 1 && text.length <= longest && !text.includes("\u0000") && text.isWellFormed(),
        { message: () => `must be 1 to ${longest} characters of valid text` }
      )
    ),
    { strict: true, decode: (text) => text.trim(), encode: (text) => text }
  )

/** Non-empty text, kept unchanged. */
export const NonEmptyText = Schema.NonEmptyString.annotations({ message: () => "must not be empty" })

/** A whole number of things, 0 or more. */
export const Count = Schema.NonNegativeInt

/** A finite number: JSON has no other. */
export const Finite = Schema.JsonNumber

/** A score from 0 to 100. */
export const Score = Schema.Number.pipe(Schema.between(0, 100))

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => uuid.test(text)

/** A UUID in a body or query: malformed ones are invalid input. */
export const Uuid = Schema.String.pipe(
  Schema.filter(isUuid, { jsonSchema: { format: "uuid" }, message: () => "must be a UUID" })
)
