/** Platform adapter: what the process's streams are connected to, raw writing to stderr, and results of commands. */
import * as Options from "@effect/cli/Options"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { escapeInvisible } from "../text/EscapeInvisible.ts"

/** `--json`: the answer as one JSON value on stdout, for programs. */
export const json = Options.boolean("json").pipe(Options.withDescription("answer with JSON"))

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

/** Whether stderr is a terminal: progress is shown only there. */
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

/** A sentence on stderr while a command works; the parser of the line silences the console's own. */
export const say = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(`findable: ${escapeInvisible(text)}\n`)
  })
