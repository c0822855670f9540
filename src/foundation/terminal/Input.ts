import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** Invalid input of an operator; `message` is one line that names every problem. */
export class InputRefused extends Data.TaggedError("InputRefused")<{ readonly message: string }> {}

/** The refusal of an input that does not fit its schema. */
export const refuseInput = (error: ParseResult.ParseError) => {
  const problems = ParseResult.ArrayFormatter.formatErrorSync(error)
  return new InputRefused({
    message: problems.map(({ message, path }) => `${path.map(String).join(".")} ${message}`.trim()).join("; ")
  })
}

/** Reads an operator's input by its schema, as the API reads a request. */
export const readInput = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(schema, { errors: "all" })
  return (input: unknown) => Effect.mapError(decode(input), refuseInput)
}
