import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** An operator's input that is not valid; `message` is one line that names every problem. */
export class InputRefused extends Data.TaggedError("InputRefused")<{ readonly message: string }> {}

/** Refuses an input for what its schema has against it. */
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
