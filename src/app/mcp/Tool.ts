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

/** The most estimated tokens of a response: 8,000 of o200k in the worst case of the estimate. */
export const tokensAtMost = 7400

/** Text by strangers: of a page, a title, a query. In a response, evidence tags enclose the text. */
export class Foreign extends Data.Class<{ readonly text: string }> {}

export const foreign = (text: string | null | undefined): Foreign | null =>
  text === null || text === undefined ? null : new Foreign({ text })

/** Instructions for an agent with evidence tags of their own, which get the name of the response's tags. */
export class Instructions extends Data.Class<{ readonly text: string }> {}

/** The most characters of one text by strangers. */
const longest = 300

/** Names the tags of one response randomly, so no earlier text can close them. */
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
 * The most hundredths of a token of a character after another. A vocabulary (o200k) first splits a text into words, groups of three digits, blanks and signs;
 * each begins a token. Random letters have two to a token, random signs three to two tokens, and a character outside ASCII has no more tokens than bytes.
 */
const weightOf = (code: number, before: number, next: number): number => {
  // One surrogate of a pair has half of four bytes.
  if (code >= 0x80) return code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 200 : 300
  if (isLower(code)) return isLetter(before) ? 60 : 100
  if (isUpper(code)) return isUpper(before) ? 75 : 100
  if (code === space) return before === space || isLetter(next) ? 0 : 100
  return before === space || before === outside || before >= 0x80 || isLetter(before) || isDigit(before) ? 100 : 80
}

/** The most tokens of a text. English words have less than half of this estimate. */
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

/** A name of tags with the most tokens. */
const heaviest = "evidence-a0a0a0a0"

/** The most tokens of a response with any name of its tags, so calls that differ only by a limit are measured alike. */
export const sizeOf = (body: unknown) => tokensOf(JSON.stringify(body, shown(heaviest)))

export const fits = (body: unknown) => sizeOf(body) <= tokensAtMost

/** The greatest whole number below `beyond` with `holds`, which holds up to some number; `least` if that number is smaller. */
export const greatest = (least: number, beyond: number, holds: (count: number) => boolean): number => {
  let [low, high] = [least, beyond]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle
  }
  return low
}

/** The most entries of a list and characters of a text for each attempt, until a response fits. */
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

/** Cuts texts and lists of a response until it fits. */
export const shortened = (body: object): object => {
  if (fits(body)) return body
  for (const [entries, characters] of cuts) {
    const left = { left_out: `Texts are shortened to ${characters} characters, lists to ${entries} entries` }
    const short = Object.assign({}, cutTo(entries, characters)(body), left)
    if (fits(short)) return short
  }
  return { left_out: "Everything: the result is too long for one response" }
}

/** A response as text: JSON with fenced foreign text, cut to its limit. */
export const written = (body: object) => Effect.map(tag, (name) => JSON.stringify(shortened(body), shown(name)))

/** A response with all rows that fit. With fewer rows, `make` describes the rest. */
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

/** How many rows of a page fit with any cursor. */
const fitting = (page: Page) => {
  let left = tokensAtMost - room - sizeOf({ ...page, next_cursor: null, rows: [] })
  const beyond = page.rows.findIndex((row) => {
    left -= sizeOf(row) + 1
    return left < 0
  })
  return beyond === -1 ? page.rows.length : beyond
}

/**
 * A page that fits. When not all its rows fit, the page is read again with the fitting number, so its cursor continues after these rows. The page has at least
 * one row, cut if necessary.
 */
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

/** The description of an argument for agents, beside its type. */
interface Note<A> {
  readonly default?: A
  readonly description?: string
}

/** The schema with a note, which its JSON Schema includes. */
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

/** An optional argument with its default value. */
export const defaulting = <A, I>(schema: Schema.Schema<A, I>, value: A, description?: string) =>
  Schema.optionalWith(noted(schema, { default: value, ...(description !== undefined && { description }) }), {
    default: () => value,
    exact: true
  })

/** A part of JSON Schema without useless parts for agents: titles, the type of an enumeration, empty lists of required fields. */
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

/** The JSON Schema of arguments for agents. */
const inputSchemaOf = <A, I>(schema: Schema.Schema<A, I>): InputSchema =>
  parsed(JSON.stringify(JSONSchema.make(schema), lean))

/** The progress of a waiting call. */
export interface Progress {
  readonly done: number
  readonly total: number
  readonly message: string
}

export type Report = (progress: Progress) => Effect.Effect<void>

/** The services of a tool's call. */
export interface Call {
  readonly client: Client
  /** Whether the key grants a scope. */
  readonly grants: (scope: string) => boolean
  /** Reports the progress of a wait; undefined for a caller that did not request progress. */
  readonly report: Report | undefined
  /** Completes when the node begins to stop. */
  readonly stopping: Effect.Effect<void>
}

/** Failures of a call: errors of the API, which an agent can act on, and others. */
type Failure = ApiError | HttpClientError.HttpClientError | ParseResult.ParseError

type Result = Effect.Effect<string, Failure, Entropy>

/** The texts of a tool for clients, and the properties that clients may rely on (MCP, tool annotations). */
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

/** A tool: its declaration for agents, and its call with unchecked arguments. */
export interface Tool {
  readonly declaration: Declaration & { readonly inputSchema: InputSchema }
  readonly call: (args: unknown, call: Call) => Result
}

/** The most problems of arguments in an error, and the most characters of each and of its path, because a problem may quote all sent text. */
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
