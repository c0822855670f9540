import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import { evidenceText } from "../../features/audits/Prompt.ts"
import { type ApiError, apiError } from "../../foundation/http/ApiError.ts"
import { digits, Entropy } from "../../foundation/secrets/Entropy.ts"
import type { Client } from "../client/Client.ts"
import { worded } from "../server/ErrorAnswer.ts"

/** Tokens of an answer at most as they are estimated here, which is 8,000 of o200k where the estimate is lowest. */
export const tokensAtMost = 7400

/** Text that strangers wrote: of a page, a title, a query. In an answer it stands between the tags of evidence. */
export class Foreign extends Data.Class<{ readonly text: string }> {}

export const foreign = (text: string | null | undefined): Foreign | null =>
  text === null || text === undefined ? null : new Foreign({ text })

/** Instructions for an agent whose evidence stands between tags of its own, which get the name of the answer's. */
export class Instructions extends Data.Class<{ readonly text: string }> {}

/** Characters of one text of strangers at most. */
const longest = 300

/** Names the tags of one answer, so that no text which was written before it can close them. */
const tag = Effect.flatMap(Entropy, ({ bytes }) => Effect.map(bytes(8), (random) => `evidence-${digits(random)}`))

const shown = (name: string) => (_key: string, value: unknown) =>
  value instanceof Foreign
    ? `<${name}>${evidenceText(value.text, longest)}</${name}>`
    : value instanceof Instructions
      ? value.text.replace(/^<(\/?)evidence>$/gm, `<$1${name}>`)
      : value

const isLower = (code: number) => code >= 97 && code <= 122
const isUpper = (code: number) => code >= 65 && code <= 90
const isDigit = (code: number) => code >= 48 && code <= 57
const isLetter = (code: number) => isLower(code) || isUpper(code)

const [space, outside] = [32, -1]

/**
 * Hundredths of a token that a character behind another has at most. A vocabulary splits a text into words, groups of three digits, blanks and signs before it
 * looks for tokens (o200k): each begins one. Random letters have two to a token, random signs have three to two, and a character beyond ASCII has no more tokens than bytes.
 */
const weightOf = (code: number, before: number, next: number): number => {
  // Half of a pair of surrogates has half of four bytes.
  if (code >= 0x80) return code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 200 : 300
  if (isLower(code)) return isLetter(before) ? 60 : 100
  if (isUpper(code)) return isUpper(before) ? 75 : 100
  if (code === space) return before === space || isLetter(next) ? 0 : 100
  return before === space || before === outside || before >= 0x80 || isLetter(before) || isDigit(before) ? 100 : 80
}

/** Tokens of a text at most. Words of English have less than half of that. */
export const tokensOf = (text: string): number => {
  let weight = 0
  let before = outside
  let digits = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    digits = isDigit(code) ? digits + 1 : 0
    weight += digits === 0 ? weightOf(code, before, text.charCodeAt(at + 1)) : digits % 3 === 1 ? 100 : 0
    before = code
  }
  return Math.ceil(weight / 100)
}

/** A name of tags that has as many tokens as any. */
const heaviest = "evidence-a0a0a0a0"

/** Tokens of an answer at most, whatever the name of its tags will be: calls that differ by a limit alone are measured alike. */
export const sizeOf = (body: unknown) => tokensOf(JSON.stringify(body, shown(heaviest)))

export const fits = (body: unknown) => sizeOf(body) <= tokensAtMost

/** The greatest whole number below `beyond` for which something holds that holds up to some number; `least` where that is none. */
export const greatest = (least: number, beyond: number, holds: (count: number) => boolean): number => {
  let [low, high] = [least, beyond]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle
  }
  return low
}

/** Entries of a list and characters of a text, from one try to the next, until an answer fits. */
const cuts = [
  [50, 2000],
  [20, 500],
  [10, 200],
  [5, 100],
  [2, 50],
  [0, 20]
] as const

const cutText = (text: string, characters: number) =>
  text.length > characters ? `${text.slice(0, characters).replace(/[\ud800-\udbff]$/, "")}…` : text

const cutTo =
  (entries: number, characters: number) =>
  (value: unknown): unknown => {
    const cut = cutTo(entries, characters)
    if (typeof value === "string") return cutText(value, characters)
    if (value instanceof Foreign) return new Foreign({ text: cutText(value.text, characters) })
    if (Array.isArray(value)) return value.slice(0, entries).map(cut)
    if (typeof value !== "object" || value === null || value instanceof Instructions) return value
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, cut(of)]))
  }

/** An answer that fits: its texts and lists are cut until it does. */
export const shortened = (body: object): object => {
  if (fits(body)) return body
  for (const [entries, characters] of cuts) {
    const left = { left_out: `Texts are shortened to ${characters} characters, lists to ${entries} entries` }
    const short = Object.assign({}, cutTo(entries, characters)(body), left)
    if (fits(short)) return short
  }
  return { left_out: "Everything: the result is too long for one response" }
}

/** An answer as text: JSON in which foreign text is fenced, cut where it would be too long. */
export const written = (body: object) => Effect.map(tag, (name) => JSON.stringify(shortened(body), shown(name)))

/** An answer with as many rows as fit. `make` says with fewer rows than there are what is left. */
export const fitted = (rows: number, make: (rows: number) => object) => {
  const whole = make(rows)
  return written(fits(whole) ? whole : make(greatest(0, rows, (count) => fits(make(count)))))
}

/** Tokens for a cursor. */
const room = 400

interface Page {
  readonly next_cursor: string | null
  readonly rows: ReadonlyArray<object>
}

/** How many rows of a page fit, whatever its cursor. */
const fitting = (page: Page) => {
  let left = tokensAtMost - room - sizeOf({ ...page, next_cursor: null, rows: [] })
  const beyond = page.rows.findIndex((row) => {
    left -= sizeOf(row) + 1
    return left < 0
  })
  return beyond === -1 ? page.rows.length : beyond
}

/** A page that fits: where its rows do not, it is read again with those that do, so that its cursor continues behind them. It has one row at least, cut if need be. */
export const fittedPage = <E, R>(
  rows: number,
  read: (rows: number) => Effect.Effect<Page, E, R>
): Effect.Effect<string, E, R | Entropy> =>
  Effect.flatMap(read(rows), (page) => {
    const count = Math.max(1, fitting(page))
    return count >= page.rows.length || rows === 1 ? written(page) : fittedPage(Math.min(count, rows - 1), read)
  })

/** A whole number within bounds. */
export const whole = (minimum: number, maximum?: number) =>
  Schema.Number.pipe(
    Schema.filter(
      (value) =>
        (Number.isInteger(value) && value >= minimum && value <= (maximum ?? Number.MAX_SAFE_INTEGER)) ||
        `must be a whole number ${maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`}`,
      { jsonSchema: { minimum, type: "integer", ...(maximum === undefined ? {} : { maximum }) } }
    )
  )

/** What agents read of an argument, beside its type. */
interface Note<A> {
  readonly default?: A
  readonly description?: string
}

/** The schema with a note; a JSON Schema of its own takes it up. */
const noted = <A, I>(schema: Schema.Schema<A, I>, note: Note<A>) =>
  schema.annotations({
    ...note,
    ...Option.match(AST.getJSONSchemaAnnotation(schema.ast), {
      onNone: () => ({}),
      onSome: (own) => ({ jsonSchema: { ...own, ...note } })
    })
  })

/** An argument that may be left out. */
export const optional = <A, I>(schema: Schema.Schema<A, I>, description?: string) =>
  Schema.optionalWith(description === undefined ? schema : noted(schema, { description }), { exact: true })

/** The same with the value that it has then. */
export const defaulting = <A, I>(schema: Schema.Schema<A, I>, value: A, description?: string) =>
  Schema.optionalWith(noted(schema, { default: value, ...(description !== undefined && { description }) }), {
    default: () => value,
    exact: true
  })

/** A part of JSON Schema without what an agent does not need: titles, the type of an enumeration, empty lists of required fields. */
const lean = (key: string, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || Array.isArray(value) || key === "properties") return value
  return Object.fromEntries(
    Object.entries(value).filter(
      ([name, of]) =>
        name !== "$schema" &&
        name !== "title" &&
        !(name === "type" && "enum" in value) &&
        !(name === "required" && Array.isArray(of) && of.length === 0)
    )
  )
}

type Json = string | number | boolean | null | Array<Json> | { [key: string]: Json }

const Json: Schema.Schema<Json> = Schema.suspend(() =>
  Schema.Union(Schema.String, Schema.Number, Schema.Boolean, Schema.Null, Schema.mutable(Schema.Array(Json)), Members)
)

const Members = Schema.mutable(Schema.Record({ key: Schema.String, value: Json }))

/** The JSON Schema of a tool's arguments. */
const InputSchema = Schema.mutable(
  Schema.extend(Schema.Struct({ properties: Members, type: Schema.Literal("object") }), Members)
)
type InputSchema = typeof InputSchema.Type

const parsed = Schema.decodeUnknownSync(Schema.parseJson(InputSchema))

/** The JSON Schema of arguments, as agents read it. */
const inputSchemaOf = <A, I>(schema: Schema.Schema<A, I>): InputSchema =>
  parsed(JSON.stringify(JSONSchema.make(schema), lean))

/** How far a call is that waits. */
export interface Progress {
  readonly done: number
  readonly total: number
  readonly message: string
}

export type Report = (progress: Progress) => Effect.Effect<void>

/** What a call of a tool works with. */
export interface Call {
  readonly client: Client
  /** Whether the key grants a scope. */
  readonly grants: (scope: string) => boolean
  /** Tells the caller how far a wait is; undefined where it did not ask for that. */
  readonly report: Report | undefined
  /** Ends when the node begins to stop. */
  readonly stopping: Effect.Effect<void>
}

/** Failures of a call: those of the API, which an agent can act on, and defects. */
type Failure = ApiError | HttpClientError.HttpClientError | ParseResult.ParseError

type Result = Effect.Effect<string, Failure, Entropy>

/** What clients show of a tool, and what they may take for granted (MCP, tool annotations). */
interface Declaration {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: {
    readonly destructiveHint?: boolean
    readonly idempotentHint?: boolean
    readonly openWorldHint: boolean
    readonly readOnlyHint?: boolean
  }
}

/** A tool: its declaration as agents read it, and a call by arguments that nothing has checked yet. */
export interface Tool {
  readonly declaration: Declaration & { readonly inputSchema: InputSchema }
  readonly call: (args: unknown, call: Call) => Result
}

/** Problems of arguments that an error names, and characters of each and of its path: a problem may quote all that was sent. */
const [problems, longestProblem, longestPath] = [10, 200, 100]

const invalid = (error: ParseResult.ParseError) => {
  const found = ParseResult.ArrayFormatter.formatErrorSync(error)
  const details = found.slice(0, problems).map(({ message, path }) => {
    const name = path.map(String).join(".") || "arguments"
    return { message: worded(name, message).slice(0, longestProblem), path: name.slice(0, longestPath) }
  })
  return apiError("validation_error", details.map(({ message, path }) => `${path} ${message}`).join("; "), { details })
}

/** A tool of the API's operations. */
export const tool = <A, I>(
  declaration: Declaration,
  input: Schema.Schema<A, I>,
  run: (args: A, call: Call) => Result
): Tool => {
  const decode = Schema.decodeUnknownEither(input, { errors: "all", onExcessProperty: "error" })
  return {
    call: (args, call) => Either.match(decode(args), { onLeft: invalid, onRight: (args) => run(args, call) }),
    declaration: { ...declaration, inputSchema: inputSchemaOf(input) }
  }
}

/** Annotations of tools that read. */
export const reading = { readOnlyHint: true, openWorldHint: false } as const
