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

/** Bytes between two looks at the clock, and bytes at the cost of one character of usual work. */
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
  /** The deepest nesting of arrays and objects. */
  readonly depth: number
  /** The most fields of one object. */
  readonly fields: number
  /** Paths of lists that may be long. */
  readonly lists: ReadonlyArray<string>
  /** The most bytes of one text, including escapes. */
  readonly text: number
  /** The most values, including nested ones. */
  readonly values: number
}

/**
 * Why this JSON is too large or too deep to parse and check without delaying other requests: more values, more fields of an object, a longer text (in bytes,
 * including escapes) or more levels than its endpoint takes. Undefined within bounds. One pass over the bytes before parsing; the parser refuses text that is
 * no JSON.
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

/** The most characters for one call of the runtime's parser: a few milliseconds, even with a different name for each field. */
const usualPiece = 24_576

/** Scanned characters at the cost of one, because a scan is much faster than parsing. */
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

/** The value of a short JSON text; undefined, which JSON lacks, for text that is no JSON. */
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

/** The closing quote of the text that begins at `from`; the end of the JSON without one. */
const closingQuote = (json: string, from: number) => {
  for (let at = json.indexOf('"', from + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let slashes = 0
    while (json.charCodeAt(at - 1 - slashes) === backslashMark) slashes += 1
    if (slashes % 2 === 0) return at
  }
  return json.length
}

/**
 * The ends of arrays and objects longer than a piece, by their beginnings. Without these, each level of a deep text would scan all lower levels for its end.
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
 * Reads JSON like `JSON.parse`, which would take tens of milliseconds for a body of megabytes. Short arrays and objects are parsed whole, long ones in pieces
 * of several members.
 */
export const jsonValue = function* (json: string, piece = usualPiece): Steps<unknown> {
  const ends: ReadonlyMap<number, number> = json.length > piece ? yield* longEnds(json, piece) : new Map()

  /** The end of the members from `from` on that make a piece, or of one longer member; undefined for unbalanced brackets. */
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

/** Why the headers make the server refuse a body. */
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

/** Bytes that are copied or decoded in one step, and bytes at the cost of one character of usual work. */
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

/** The text of bytes in an encoding, if they are valid. */
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

/** The text of bytes in UTF-8. Bytes that are no text stay unchanged, and are no JSON. */
const inUtf8 = function* (bytes: Uint8Array): Steps<Uint8Array> {
  const encoding = encodingOf(bytes)
  if (encoding === "utf-8") return bytes
  const text = yield* textOf(bytes, encoding)
  return text === undefined ? bytes : encoder.encode(text)
}

/** The value of a body, in steps, because a body of megabytes takes long. */
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
  // Nothing is done yet, so the request ends when the caller leaves, or loses the right, while the body arrives.
  const body = yield* Effect.interruptible(received(request, bounds.bytes))
  // An absent body means an empty object, with any declared type (curl declares a form).
  if (body.size === 0) return {}
  const refusal = refusalOf(request.headers)
  if (refusal !== undefined) return yield* refusal
  return yield* yield* unhurried(valueOf(body, bounds))
})

/**
 * The request with a JSON body within bounds. The body is read when the handler decodes it, after the checks of key, limit and scope. An invalid body dies as
 * an `ApiError`, because the platform's decoder has no failure for it; the error envelope handles the defect.
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
