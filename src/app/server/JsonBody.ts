import * as Headers from "@effect/platform/Headers"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type ApiError, apiError } from "../../foundation/http/ApiError.ts"
import { type Steps, unhurried } from "../../foundation/schema/Steps.ts"
import * as JsonShape from "./JsonShape.ts"
import { jsonValue } from "./JsonValue.ts"
import * as LongLists from "./LongLists.ts"

/** Bounds of a request's body. */
export interface BodyBounds {
  readonly bytes: number
  /** Fields of one object. */
  readonly fields: number
  /** Lists that may be long, by their paths. */
  readonly lists: ReadonlyArray<string>
  /** Bytes of one text, escapes included. */
  readonly text: number
  /** Values, nested ones included. */
  readonly values: number
}

const tooLarge = (limit: number) => apiError("payload_too_large", `The body is over ${limit / 1024} KiB`)
const notJson = apiError("unsupported_media_type", "The body must be JSON (Content-Type: application/json)")
const malformed = apiError("validation_error", "The body is not well-formed JSON", {
  details: [{ path: "body", message: "is not well-formed JSON" }]
})

const tooMuch = (problem: string) =>
  apiError("validation_error", `The body ${problem}`, { details: [{ path: "body", message: problem }] })

const jsonType = /^application\/(?:[\w.-]+\+)?json$/i

const isJson = (headers: Headers.Headers) => {
  const type = headers["content-type"]
  const encoding = headers["content-encoding"]
  return (
    (type === undefined || jsonType.test(type.split(";")[0]?.trim() ?? "")) &&
    (encoding === undefined || encoding === "identity")
  )
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

/** The text of UTF-8 bytes, if they are that. */
const textOf = function* (bytes: Uint8Array): Steps<string | undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  for (let from = 0; from < bytes.length; from += stride) {
    const part = decoded(decoder, bytes.subarray(from, from + stride), from + stride < bytes.length)
    if (Option.isNone(part)) return undefined
    text += part.value
    yield stride / perCost
  }
  return text
}

/** The value that a body holds, in steps, since a body of megabytes takes long. */
const valueOf = function* (body: Received, bounds: BodyBounds): Steps<Either.Either<unknown, ApiError>> {
  const bytes = yield* joined(body)
  const problem = yield* JsonShape.problemOf(bytes, bounds)
  if (problem !== undefined) return Either.left(tooMuch(problem))
  const text = yield* textOf(bytes)
  const value = text === undefined ? undefined : yield* jsonValue(text)
  if (value === undefined) return Either.left(malformed)
  const misplaced = yield* LongLists.problemOf(value, bounds.lists)
  return misplaced === undefined ? Either.right(value) : Either.left(tooMuch(misplaced))
}

const read = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, bounds: BodyBounds) {
  // Nothing is done yet: a caller who goes away, or loses the right to it, while the body comes is not waited for.
  const body = yield* Effect.interruptible(received(request, bounds.bytes))
  // An absent body stands for an empty object, whatever its declared type (curl declares a form).
  if (body.size === 0) return {}
  if (!isJson(request.headers)) return yield* notJson
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
