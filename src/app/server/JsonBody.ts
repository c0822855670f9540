import * as Headers from "@effect/platform/Headers"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { apiError } from "../../foundation/http/ApiError.ts"
import * as JsonShape from "./JsonShape.ts"

/** Bounds of a request's body. */
export interface BodyBounds {
  readonly bytes: number
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

const bytesOf = (request: HttpServerRequest.HttpServerRequest, limit: number) =>
  Number(request.headers["content-length"] ?? 0) > limit
    ? Effect.fail(tooLarge(limit))
    : request.stream.pipe(
        Stream.runFoldEffect({ chunks: [] as Uint8Array[], size: 0 }, ({ chunks, size }, chunk) => {
          chunks.push(chunk)
          return size + chunk.length > limit
            ? Effect.fail(tooLarge(limit))
            : Effect.succeed({ chunks, size: size + chunk.length })
        }),
        Effect.map(({ chunks }) => Buffer.concat(chunks)),
        // A request without a body has no stream.
        Effect.catchTag("RequestError", () => Effect.succeed(Buffer.alloc(0)))
      )

const parse = Option.liftThrowable((bytes: Uint8Array): unknown =>
  JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
)

const read = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, bounds: BodyBounds) {
  const bytes = yield* bytesOf(request, bounds.bytes)
  // An absent body stands for an empty object, whatever its declared type (curl declares a form).
  if (bytes.length === 0) return {}
  if (!isJson(request.headers)) return yield* notJson
  const problem = JsonShape.problemOf(bytes, bounds.values)
  if (problem !== undefined) return yield* tooMuch(problem)
  return yield* Option.match(parse(bytes), { onNone: () => Effect.fail(malformed), onSome: Effect.succeed })
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
