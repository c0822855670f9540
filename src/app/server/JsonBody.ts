import * as Headers from "@effect/platform/Headers"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type ApiError, apiError } from "../../foundation/http/ApiError.ts"
import { formRefused, isForm } from "../../foundation/http/Request.ts"
import { type Steps, unhurried } from "../../foundation/schema/Steps.ts"
import { encodingOf } from "../../foundation/text/Encoding.ts"
import * as Answers from "./Answers.ts"

/** Bytes between two looks at the clock, and how many cost as much as one character of usual work. */
const [shapeStride, shapePerCost] = [65_536, 16]

/** Marks of JSON, as bytes and as characters. */
const marks = {
  quote: 34,
  comma: 44,
  colon: 58,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  closeBrace: 125
} as const
const { backslash, closeBrace, closeBracket, comma, openBrace, openBracket, quote } = marks

/** The end of a string that begins before `from`; the end of the bytes if it is not closed. */
const textEnd = (bytes: Uint8Array, from: number) => {
  for (let end = bytes.indexOf(quote, from); end !== -1; end = bytes.indexOf(quote, end + 1)) {
    let slashes = 0
    while (bytes[end - 1 - slashes] === backslash) slashes += 1
    if (slashes % 2 === 0) return end
  }
  return bytes.length
}

/** Bounds of a request's body. */
export interface BodyBounds {
  readonly bytes: number
  /** Arrays and objects within one another. */
  readonly depth: number
  /** Fields of one object. */
  readonly fields: number
  /** Lists that may be long, by their paths. */
  readonly lists: ReadonlyArray<string>
  /** Bytes of one text, escapes included. */
  readonly text: number
  /** Values, nested ones included. */
  readonly values: number
}

/**
 * Why this JSON is too large or too deep to be parsed and checked without holding up other requests, if it is: more values, more fields of an object, a longer text
 * (in bytes, escapes included) or more levels than its endpoint takes. One pass over the bytes, before they are parsed; the parser refuses what is not JSON.
 */
export const problemOf = function* (
  bytes: Uint8Array,
  { depth, fields, text, values }: Pick<BodyBounds, "depth" | "fields" | "text" | "values">
): Steps<string | undefined> {
  const open: Array<{ readonly isObject: boolean; members: number }> = []
  let count = 1
  for (let at = 0, counted = 0; at < bytes.length; at++) {
    if (at - counted >= shapeStride) {
      yield (at - counted) / shapePerCost
      counted = at
    }
    const byte = bytes[at]
    if (byte === quote) {
      const end = textEnd(bytes, at + 1)
      if (end - at > text) return `contains a text of more than ${text} bytes`
      at = end
    } else if (byte === openBrace || byte === openBracket) {
      if (open.length === depth) return `contains more than ${depth} nested arrays and objects`
      open.push({ isObject: byte === openBrace, members: 1 })
      count += 1
    } else if (byte === closeBrace || byte === closeBracket) {
      open.pop()
    } else if (byte === comma) {
      const container = open.at(-1)
      if (container !== undefined) container.members += 1
      if (container?.isObject && container.members > fields) return `contains an object of more than ${fields} fields`
      count += 1
    }
    if (count > values) return `contains more than ${values} values`
  }
  return undefined
}

/** Characters that the runtime's parser takes at once: some milliseconds, also where each field has another name. */
const usualPiece = 24_576

/** Characters looked through, for which one of the cost is counted: it is much quicker than parsing. */
const valuePerCost = 16

const {
  backslash: backslashMark,
  closeBrace: closeBraceMark,
  closeBracket: closeBracketMark,
  colon,
  comma: commaMark,
  openBrace: openBraceMark,
  openBracket: openBracketMark,
  quote: quoteMark
} = marks
const blanks = [9, 10, 13, 32]

/** The value of a short JSON text. Undefined, which JSON lacks, stands for what is not JSON. */
const parse = Option.liftThrowable((json: string): unknown => JSON.parse(json))
const parsed = (json: string) => Option.getOrUndefined(parse(json))

const afterBlanks = (json: string, from: number) => {
  let at = from
  while (blanks.includes(json.charCodeAt(at))) at += 1
  return at
}

const beforeBlanks = (json: string, to: number) => {
  let at = to
  while (blanks.includes(json.charCodeAt(at - 1))) at -= 1
  return at
}

/** The closing quote of the text that `from` opens; the end of the JSON if it is not closed. */
const closingQuote = (json: string, from: number) => {
  for (let at = json.indexOf('"', from + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let slashes = 0
    while (json.charCodeAt(at - 1 - slashes) === backslashMark) slashes += 1
    if (slashes % 2 === 0) return at
  }
  return json.length
}

/**
 * The ends of the arrays and objects that are longer than a piece, by their beginnings. Without them each level of a deep text would look through all that is below
 * it for its end.
 */
const longEnds = function* (json: string, piece: number): Steps<ReadonlyMap<number, number>> {
  const ends = new Map<number, number>()
  const open: Array<number> = []
  for (let at = 0, counted = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === quoteMark) at = closingQuote(json, at)
    else if (code === openBraceMark || code === openBracketMark) open.push(at)
    else if (code === closeBraceMark || code === closeBracketMark) {
      const from = open.pop()
      if (from !== undefined && at - from > piece) ends.set(from, at)
    }
    if (at - counted < piece) continue
    yield (at - counted) / valuePerCost
    counted = at
  }
  return ends
}

/**
 * Reads JSON as `JSON.parse` does, of which a body of megabytes would take tens of milliseconds: short arrays and objects are parsed as they are, long ones by
 * their members, of which as many as fit make a piece.
 */
export const jsonValue = function* (json: string, piece = usualPiece): Steps<unknown> {
  const ends: ReadonlyMap<number, number> = json.length > piece ? yield* longEnds(json, piece) : new Map()

  /** The end of the members from `from` on that make a piece, or of one that is longer; none where more is closed than was opened. */
  const pieceEnd = function* (from: number, to: number): Steps<number | undefined> {
    let depth = 0
    let end: number | undefined
    for (let at = from, counted = from; at < to; at++) {
      const code = json.charCodeAt(at)
      if (code === quoteMark) at = closingQuote(json, at)
      else if (code === openBraceMark || code === openBracketMark) {
        const close = ends.get(at)
        if (close === undefined) depth += 1
        else {
          counted += close - at
          at = close
        }
      } else if (code === closeBraceMark || code === closeBracketMark) depth -= 1
      else if (code === commaMark && depth === 0 && (end === undefined || at - from <= piece)) end = at
      if (depth < 0) return undefined
      if (end !== undefined && at - from > piece) return end
      if (at - counted < piece) continue
      yield (at - counted) / valuePerCost
      counted = at
    }
    return end !== undefined && to - from > piece ? end : to
  }

  /** Calls `add` with each piece of the members; whether all of them are JSON. */
  const each = function* (from: number, to: number, add: (from: number, to: number) => Steps<boolean>): Steps<boolean> {
    if (afterBlanks(json, from) >= to) return true
    for (let at = from; ; ) {
      const end = yield* pieceEnd(at, to)
      if (end === undefined || afterBlanks(json, at) >= end || !(yield* add(at, end))) return false
      if (end === to) return true
      at = end + 1
    }
  }

  const array = function* (from: number, to: number): Steps<unknown> {
    const all: Array<unknown> = []
    const isArray = yield* each(from, to, function* (at, end) {
      if (end - at > piece) {
        const item = yield* value(at, end)
        return item !== undefined && all.push(item) > 0
      }
      yield end - at
      const items = parsed(`[${json.slice(at, end)}]`)
      if (!Array.isArray(items)) return false
      for (const item of items) all.push(item)
      return true
    })
    return isArray ? all : undefined
  }

  const object = function* (from: number, to: number): Steps<unknown> {
    const whole = {}
    // An assignment to `__proto__` would set the prototype.
    const set = (name: string, value: unknown) =>
      Object.defineProperty(whole, name, { configurable: true, enumerable: true, value, writable: true })
    const isObject = yield* each(from, to, function* (at, end) {
      if (end - at > piece) {
        const nameFrom = afterBlanks(json, at)
        const nameTo = closingQuote(json, nameFrom) + 1
        const name = parsed(json.slice(nameFrom, nameTo))
        const between = afterBlanks(json, nameTo)
        if (typeof name !== "string" || json.charCodeAt(between) !== colon) return false
        const member = yield* value(between + 1, end)
        return member !== undefined && set(name, member) === whole
      }
      yield end - at
      const fields = parsed(`{${json.slice(at, end)}}`)
      if (typeof fields !== "object" || fields === null) return false
      for (const [name, field] of Object.entries(fields)) set(name, field)
      return true
    })
    return isObject ? whole : undefined
  }

  const value = function* (from: number, to: number): Steps<unknown> {
    if (to - from <= piece) {
      yield to - from
      return parsed(json.slice(from, to))
    }
    const first = afterBlanks(json, from)
    const last = beforeBlanks(json, to) - 1
    const [open, close] = [json.charCodeAt(first), json.charCodeAt(last)]
    if (open === openBracketMark) return close === closeBracketMark ? yield* array(first + 1, last) : undefined
    if (open === openBraceMark) return close === closeBraceMark ? yield* object(first + 1, last) : undefined
    return parsed(json.slice(from, to))
  }

  return yield* value(0, json.length)
}

const tooLarge = (limit: number) =>
  apiError("payload_too_large", `The request body is larger than ${limit / 1024} KiB, the limit of this endpoint`)
const notJson = apiError("unsupported_media_type", "Send a JSON body with Content-Type: application/json")
const isEncoded = (encoding: string) =>
  apiError(
    "unsupported_media_type",
    `Compressed bodies are not supported: send the JSON uncompressed, without "Content-Encoding: ${encoding.slice(0, 40)}"`
  )
const isPacked = apiError(
  "unsupported_media_type",
  'The request body is compressed with gzip: send the JSON uncompressed, without "Content-Encoding: gzip"'
)
const malformed = apiError(
  "validation_error",
  "The request body is not valid JSON: check quotes, commas and brackets",
  {
    details: [{ path: "body", message: "is not valid JSON" }]
  }
)

const tooMuch = (problem: string) =>
  apiError("validation_error", `The request body ${problem}`, { details: [{ path: "body", message: problem }] })

const jsonType = /^application\/(?:[\w.-]+\+)?json$/i

/** Why a body is not read, by what its headers say. */
const refusalOf = (headers: Headers.Headers) => {
  const type = headers["content-type"]
  const encoding = headers["content-encoding"]?.trim()
  if (isForm(headers)) return formRefused
  if (type !== undefined && !jsonType.test(type.split(";")[0]?.trim() ?? "")) return notJson
  return encoding === undefined || encoding === "" || encoding.toLowerCase() === "identity"
    ? undefined
    : isEncoded(encoding)
}

interface Received {
  readonly chunks: Array<Uint8Array>
  readonly size: number
}

const received = (request: HttpServerRequest.HttpServerRequest, limit: number) =>
  Number(request.headers["content-length"] ?? 0) > limit
    ? Effect.fail(tooLarge(limit))
    : request.stream.pipe(
        Stream.runFoldEffect({ chunks: [], size: 0 }, ({ chunks, size }: Received, chunk) => {
          chunks.push(chunk)
          return size + chunk.length > limit
            ? Effect.fail(tooLarge(limit))
            : Effect.succeed({ chunks, size: size + chunk.length })
        }),
        // A request without a body has no stream.
        Effect.catchTag("RequestError", () => Effect.succeed({ chunks: [], size: 0 }))
      )

/** Bytes that are copied or decoded in one step, and how many cost as much as one character of usual work. */
const [stride, perCost] = [65_536, 16]

const joined = function* ({ chunks, size }: Received): Steps<Uint8Array> {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
    yield chunk.length / perCost
  }
  return bytes
}

const decoded = Option.liftThrowable((decoder: TextDecoder, bytes: Uint8Array, stream: boolean) =>
  decoder.decode(bytes, { stream })
)

/** The text of bytes in an encoding, if they are that. */
const textOf = function* (bytes: Uint8Array, encoding: ReturnType<typeof encodingOf>): Steps<string | undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  let text = ""
  for (let from = 0; from < bytes.length; from += stride) {
    const part = decoded(decoder, bytes.subarray(from, from + stride), from + stride < bytes.length)
    if (Option.isNone(part)) return undefined
    text += part.value
    yield stride / perCost
  }
  return text
}

const encoder = new TextEncoder()

/** The same text in UTF-8; bytes that are no text stay as they are, and are no JSON. */
const inUtf8 = function* (bytes: Uint8Array): Steps<Uint8Array> {
  const encoding = encodingOf(bytes)
  if (encoding === "utf-8") return bytes
  const text = yield* textOf(bytes, encoding)
  return text === undefined ? bytes : encoder.encode(text)
}

/** The value that a body holds, in steps, since a body of megabytes takes long. */
const valueOf = function* (body: Received, bounds: BodyBounds): Steps<Either.Either<unknown, ApiError>> {
  const bytes = yield* inUtf8(yield* joined(body))
  // No JSON begins with the mark of gzip (RFC 1952).
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return Either.left(isPacked)
  const problem = yield* problemOf(bytes, bounds)
  if (problem !== undefined) return Either.left(tooMuch(problem))
  const text = yield* textOf(bytes, "utf-8")
  const value = text === undefined ? undefined : yield* jsonValue(text)
  if (value === undefined) return Either.left(malformed)
  const misplaced = yield* Answers.problemOf(value, bounds.lists)
  return misplaced === undefined ? Either.right(value) : Either.left(tooMuch(misplaced))
}

const read = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, bounds: BodyBounds) {
  // Nothing is done yet: a caller who goes away, or loses the right to it, while the body comes is not waited for.
  const body = yield* Effect.interruptible(received(request, bounds.bytes))
  // An absent body stands for an empty object, whatever its declared type (curl declares a form).
  if (body.size === 0) return {}
  const refusal = refusalOf(request.headers)
  if (refusal !== undefined) return yield* refusal
  return yield* yield* unhurried(valueOf(body, bounds))
})

/**
 * The request with a JSON body within bounds, read when the handler decodes it, which is after key, limit and scope. A bad body dies as an `ApiError`, because
 * the platform's decoder has no failure for it; the error envelope answers it.
 */
export const withJsonBody = (
  request: HttpServerRequest.HttpServerRequest,
  bounds: BodyBounds
): HttpServerRequest.HttpServerRequest =>
  request.method === "GET"
    ? request
    : Object.create(request, {
        headers: { value: Headers.set(request.headers, "content-type", "application/json") },
        json: { value: Effect.orDie(read(request, bounds)) }
      })
