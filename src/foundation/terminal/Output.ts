import * as Args from "@effect/cli/Args"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { escapeInvisible } from "../text/Words.ts"

/** Reads a word of the command line by a schema; an error is one line. */
const read = <A>(name: string, schema: Schema.Schema<A, string>) => {
  const decode = Schema.decode(schema)
  return (text: string) =>
    Effect.mapError(decode(text), (error) => {
      const [problem] = ParseResult.ArrayFormatter.formatErrorSync(error)
      return HelpDoc.p(`${name} ${problem?.message ?? "is not valid"}`)
    })
}

/** An option of the schema's type; `value` is the name of its value in the help. */
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

/** Invalid input of an administrator; `message` is one line that names every problem. */
class InputRefused extends Data.TaggedError("InputRefused")<{ readonly message: string }> {}

/** The refusal of an input that does not fit its schema. */
export const refuseInput = (error: ParseResult.ParseError) => {
  const problems = ParseResult.ArrayFormatter.formatErrorSync(error)
  return new InputRefused({
    message: problems.map(({ message, path }) => `${path.map(String).join(".")} ${message}`.trim()).join("; ")
  })
}

/** Reads an administrator's input by its schema, as the API reads a request. */
export const readInput = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(schema, { errors: "all" })
  return (input: unknown) => Effect.mapError(decode(input), refuseInput)
}

/** Platform adapter: targets of the process's streams, raw writing to stderr, and results of commands. */

/** `--json`: the result as one JSON value on stdout, for programs. */
export const json = Options.boolean("json").pipe(Options.withDescription("Print JSON"))

const text = (value: unknown): string =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? lines(value) : escapeInvisible(String(value))

const lines = (record: object) => {
  const entries = Object.entries(record)
  const width = Math.max(...entries.map(([name]) => name.length)) + 2
  return entries
    .map(
      ([name, value]) =>
        `${name.padEnd(width)}${escapeInvisible(typeof value === "object" ? JSON.stringify(value) : String(value))}`
    )
    .join("\n")
}

/** Prints a command's result: a paragraph per record, with foreign text escaped, or JSON. */
export const print = (value: unknown, asJson: boolean) => {
  if (asJson) return Console.log(JSON.stringify(value))
  return Console.log(Array.isArray(value) ? value.map(text).join("\n\n") : text(value))
}

/** Whether stderr is a terminal. Only a terminal shows progress. */
export const isTerminal: Effect.Effect<boolean> = Effect.sync(() => process.stderr.isTTY === true)

/** Whether stdout shows colours. */
export const hasColor: Effect.Effect<boolean> = Effect.sync(
  () => process.stdout.isTTY === true && process.stdout.hasColors()
)

/** Replaces the terminal's current line on stderr. */
export const replaceLine = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(`\r\u001b[2K${text}`)
  })

/** Prints a sentence on stderr while a command works. The command line's parser silences the console, so this one writes directly. */
export const say = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(`findable: ${escapeInvisible(text)}\n`)
  })
