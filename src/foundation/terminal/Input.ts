import * as Args from "@effect/cli/Args"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** Reads a word of the command line by a schema; an error is one line. */
const read = <A>(name: string, schema: Schema.Schema<A, string>) => {
  const decode = Schema.decode(schema)
  return (text: string) =>
    Effect.mapError(decode(text), (error) => {
      const [problem] = ParseResult.ArrayFormatter.formatErrorSync(error)
      return HelpDoc.p(`${name} ${problem?.message ?? "is not understood"}`)
    })
}

/** An option of the schema's type; `value` is what the help calls it. */
export const option = <A>(name: string, schema: Schema.Schema<A, string>, value = "text"): Options.Options<A> => {
  const decode = read(`--${name}`, schema)
  return Options.mapEffect(Options.withPseudoName(Options.text(name), value), (text) =>
    Effect.mapError(decode(text), (doc) => ValidationError.invalidValue(doc))
  )
}

/** An option of the schema's type that may be given any number of times. */
export const repeatedOption = <A>(
  name: string,
  schema: Schema.Schema<A, string>,
  value = "text"
): Options.Options<ReadonlyArray<A>> => {
  const decode = read(`--${name}`, schema)
  return Options.mapEffect(Options.repeated(Options.withPseudoName(Options.text(name), value)), (texts) =>
    Effect.mapError(Effect.forEach(texts, decode), (doc) => ValidationError.invalidValue(doc))
  )
}

/** An argument of the schema's type. */
export const argument = <A>(name: string, schema: Schema.Schema<A, string>): Args.Args<A> =>
  Args.mapEffect(Args.text({ name }), read(name, schema))

/** Invalid input of an operator; `message` is one line that names every problem. */
class InputRefused extends Data.TaggedError("InputRefused")<{ readonly message: string }> {}

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
