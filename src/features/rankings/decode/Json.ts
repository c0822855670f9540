import * as Either from "effect/Either"
import * as Text from "../../../foundation/text/Compressed.ts"
import type { Batch } from "../RawRow.ts"
import { failing, type Reader } from "./Collector.ts"

/** Receives the text of one captured object and its first line. Returns the reason to stop, or undefined. */
export type OnObject = (json: string, line: number) => string | undefined

/** Receives a whole document with `0` in place of consecutive captured objects. */
export type OnDocument = (json: string, line: number) => string | undefined

/** The problem of text that is no JSON, or was refused. */
interface JsonProblem {
  readonly line: number
  readonly reason: string
}

/** Cuts JSON in pieces into small objects, without holding a whole document. */
interface ObjectReader {
  readonly push: (text: string, last: boolean) => JsonProblem | undefined
  readonly line: () => number
}

/**
 * Selects objects to capture by the open containers around them, the outermost first. `first` returns the name of an object's first member, empty for an object
 * without members. Undefined, from `first` and as the result, means that the name has not arrived.
 */
export type Selects = (open: ReadonlyArray<Container>, first: () => string | undefined) => boolean | undefined

/** An open object or array; `key` is the member being read in an object. */
interface Container {
  readonly kind: "{" | "["
  key: string
}

/** The most characters of one captured object, or of the rest of one document. */
const longest = 1 << 20

/** The deepest nesting of containers. Data of the API has five levels, and without a bound half a megabyte takes seconds to parse. */
const deepest = 64

const tooDeep = `a value has more than ${deepest} nested arrays and objects`

const quoteMark = 34
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

const closing = { "{": "}", "[": "]" } as const

/**
 * Makes a reader over any number of documents, in a row or one a line. Captured objects and the rest of a document are passed on as text, so the caller's
 * `JSON.parse` checks everything.
 */
export const reader = (selects: Selects, onObject: OnObject, onDocument: OnDocument): ObjectReader => {
  const open: Array<Container> = []
  let rest = ""
  let skeleton = ""
  let gap = ""
  let isAfterCapture = false
  let text = ""
  let line = 1
  let documentLine = 1
  let newlines = newlineCounter("")

  const isFresh = () => open.length === 0 && skeleton === "" && gap === ""

  /** Moves over the input to `to` and counts lines. The text between stays in the document's skeleton. */
  const keep = (input: string, from: number, to: number) => {
    if (isFresh()) documentLine = line
    gap += input.slice(from, to)
    line += newlines(from, to)
  }

  const endDocument = () => {
    const problem = onDocument(skeleton + gap, documentLine)
    skeleton = ""
    gap = ""
    isAfterCapture = false
    return problem === undefined ? undefined : { line: documentLine, reason: problem }
  }

  const capture = (input: string, from: number, to: number): JsonProblem | undefined => {
    const problem = onObject(input.slice(from, to), line)
    if (problem !== undefined) return { line, reason: problem }
    if (isFresh()) documentLine = line
    line += newlines(from, to)
    if (!isAfterCapture || gap.trim() !== ",") skeleton += `${gap}0`
    gap = ""
    isAfterCapture = true
    return open.length === 0 ? endDocument() : undefined
  }

  const step = (input: string, at: number): number | JsonProblem => {
    const unit = input.charCodeAt(at)
    if (unit === quoteMark && open.length > 0) {
      const end = stringEnd(input, at + 1)
      if (end === -1) return -1
      text = input.slice(at + 1, end - 1)
      keep(input, at, end)
      return end
    }
    if (unit === openBrace || unit === openBracket) {
      const isCaptured = unit === openBrace && selects(open, () => firstName(input, at + 1))
      if (isCaptured === undefined) return -1
      if (isCaptured) {
        const end = objectEnd(input, at, deepest - open.length)
        if (end === "too deep") return { line, reason: tooDeep }
        return end === -1 ? -1 : (capture(input, at, end) ?? end)
      }
      if (open.length === deepest) return { line, reason: tooDeep }
      keep(input, at, at + 1)
      open.push({ kind: unit === openBrace ? "{" : "[", key: "" })
      return at + 1
    }
    if (unit === closeBrace || unit === closeBracket) {
      const container = open.pop()
      if (container === undefined || closing[container.kind] !== input[at]) {
        return { line, reason: `"${input[at]}" has no opening bracket` }
      }
      keep(input, at, at + 1)
      return open.length === 0 ? (endDocument() ?? at + 1) : at + 1
    }
    if (unit === colon) {
      const container = open.at(-1)
      if (container !== undefined) container.key = text
    }
    const end = plainEnd(input, at + 1)
    if (open.length > 0) keep(input, at, end)
    else if (input.slice(at, end).trim() !== "")
      return { line, reason: `unexpected ${JSON.stringify(input.slice(at, at + 20))}` }
    else line += newlines(at, end)
    return end
  }

  const push = (piece: string, last: boolean): JsonProblem | undefined => {
    const input = rest === "" ? piece : rest + piece
    newlines = newlineCounter(input)
    let at = 0
    while (at < input.length) {
      const next = step(input, at)
      if (typeof next !== "number") return next
      if (next === -1) break
      at = next
    }
    rest = input.slice(at)
    if (rest.length > longest || skeleton.length + gap.length > longest) return { line, reason: "a value is too large" }
    return last && (rest !== "" || open.length > 0)
      ? { line, reason: "the file ends in the middle of a value. Download it again" }
      : undefined
  }
  return { push, line: () => line }
}

/** The position after a string's closing quote, or −1. An odd number of backslashes escapes a quote. */
const stringEnd = (input: string, from: number) => {
  for (let quote = input.indexOf('"', from); quote !== -1; quote = input.indexOf('"', quote + 1)) {
    let slashes = 0
    while (quote - 1 - slashes >= from && input.charCodeAt(quote - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return quote + 1
  }
  return -1
}

/** The name of the first member of an object that begins before `from`, with escapes unread. */
const firstName = (input: string, from: number): string | undefined => {
  let start = from
  while (start < input.length && input.charCodeAt(start) <= 32) start++
  if (start === input.length) return undefined
  if (input.charCodeAt(start) !== quoteMark) return ""
  const end = stringEnd(input, start + 1)
  return end === -1 ? undefined : input.slice(start + 1, end - 1)
}

const objectEnd = (input: string, from: number, most: number): number | "too deep" => {
  let [braces, brackets] = [0, 0]
  for (let at = from; at < input.length; at++) {
    const unit = input.charCodeAt(at)
    if (unit === quoteMark) {
      const end = stringEnd(input, at + 1)
      if (end === -1) return -1
      at = end - 1
    } else if (unit === openBrace) braces++
    else if (unit === openBracket) brackets++
    else if (unit === closeBracket) brackets--
    else if (unit === closeBrace && --braces === 0) return at + 1
    if (braces + brackets > most) return "too deep"
  }
  return -1
}

/** The position of the next brace, bracket, quote or colon. */
const plainEnd = (input: string, from: number) => {
  let at = from
  while (at < input.length && !isStructure(input.charCodeAt(at))) at++
  return at
}

const isStructure = (unit: number) =>
  unit === quoteMark ||
  unit === openBrace ||
  unit === closeBrace ||
  unit === openBracket ||
  unit === closeBracket ||
  unit === colon

/** Counts the line ends of consecutive stretches, and searches each stretch once. */
const newlineCounter = (input: string) => {
  const after = (from: number) => {
    const found = input.indexOf("\n", from)
    return found === -1 ? input.length : found
  }
  let next = -1
  return (from: number, to: number) => {
    let count = 0
    for (next = next < from ? after(from) : next; next < to; next = after(next + 1)) count++
    return count
  }
}

/** Decodes a JSON file through an object reader; `take` returns the rows of its objects. */
export const jsonReader = (file: string, objects: ObjectReader, take: () => Batch): Reader => {
  const text = Text.reader()
  const read = (bytes: Uint8Array, last: boolean) => {
    const decoded = text(bytes, last)
    if (Either.isLeft(decoded)) return failing(file, objects.line(), decoded.left)
    const problem = objects.push(decoded.right, last)
    return problem === undefined ? Either.right(take()) : failing(file, problem.line, problem.reason)
  }
  return { push: (bytes) => read(bytes, false), end: () => read(new Uint8Array(0), true) }
}

/** Parses text that should be one JSON value. */
export const parse = (json: string): Either.Either<unknown, string> =>
  Either.try({ try: (): unknown => JSON.parse(json), catch: () => `not JSON: ${json.slice(0, 60)}` })

export interface Row {
  readonly [name: string]: unknown
}

/** Whether a value is an object with members to read. */
export const isRecord = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value)
