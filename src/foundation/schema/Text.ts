import * as Schema from "effect/Schema"

/** Text written by a person, trimmed; without NUL and lone surrogates, which PostgreSQL's `text` cannot hold. */
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

/** Non-empty text, kept unchanged. */
export const NonEmptyText = Schema.NonEmptyString.annotations({ message: () => "must not be empty" })
