import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as HttpMethod from "@effect/platform/HttpMethod"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import { AnyEnvelope, ApiError, extrasOf } from "../../foundation/http/ApiError.ts"
import { retryAfter } from "./Patience.ts"

/** The input of any operation. */
interface Input {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly file?: Uint8Array
  readonly idempotencyKey?: string
  readonly wait?: number
}

/** Sends a request of the client. */
export type Send = (
  request: HttpClientRequest.HttpClientRequest
) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** One operation as a function. */
export type Call = (input?: Input) => Effect.Effect<unknown, unknown>

const pathOf = (pattern: string, values: Input["path"]) =>
  pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values?.[name] ?? ""))

const requestOf = (
  method: HttpMethod.HttpMethod,
  pattern: string,
  { body, file, idempotencyKey, path, query, wait }: Input
) =>
  HttpClientRequest.make(method)(pathOf(pattern, path)).pipe(
    HttpClientRequest.setUrlParams(
      Record.filterMap(query ?? {}, (value) => Option.map(Option.fromNullable(value), String))
    ),
    HttpClientRequest.setHeaders({
      accept: "application/json",
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...(wait === undefined ? {} : { prefer: `wait=${wait}` })
    }),
    body === undefined ? (request) => request : HttpClientRequest.bodyUnsafeJson(body),
    file === undefined ? (request) => request : HttpClientRequest.bodyUint8Array(file)
  )

/** Status, `Location` and request id of an answer. */
const metadata = ({ headers, status }: HttpClientResponse.HttpClientResponse) => ({
  location: headers.location,
  requestId: headers["x-request-id"] ?? "",
  status
})

const readEnvelope = Schema.decodeUnknownOption(AnyEnvelope)

/** An error of the API, or of something else at its address: a proxy, another program on the port. */
const failed = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const body = yield* Effect.option(response.json)
  const envelope = Option.flatMap(body, readEnvelope)
  if (Option.isNone(envelope)) {
    return yield* new HttpClientError.ResponseError({
      description: "The answer is not from this API; check the address",
      reason: "StatusCode",
      request: response.request,
      response
    })
  }
  const { code, message, request_id: requestId } = envelope.value.error
  return yield* new ApiError({
    code,
    message,
    requestId,
    ...extrasOf(envelope.value.error),
    ...Option.match(retryAfter(response), { onNone: () => ({}), onSome: (retryAfter) => ({ retryAfter }) })
  })
})

type Successes = ReadonlyMap<number, { readonly ast: Option.Option<AST.AST> }>

/** The function of an endpoint: it returns body and metadata, and fails with the errors of the contract. */
export const operation = (
  { method, path }: HttpApiEndpoint.HttpApiEndpoint<string, HttpMethod.HttpMethod>,
  successes: Successes,
  send: Send
): Call => {
  const readers = new Map(
    Array.from(successes, ([status, { ast }]) => [
      status,
      Option.map(ast, (ast) => Schema.decodeUnknown(Schema.make<object, unknown, never>(ast)))
    ])
  )
  return Effect.fnUntraced(function* (input: Input = {}) {
    const response = yield* send(requestOf(method, path, input))
    const reader = readers.get(response.status)
    if (reader === undefined) return yield* failed(response)
    if (Option.isNone(reader)) return metadata(response)
    return { ...(yield* reader.value(yield* response.json)), ...metadata(response) }
  })
}
