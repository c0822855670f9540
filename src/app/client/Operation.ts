import type * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type * as HttpMethod from "@effect/platform/HttpMethod"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as ParseResult from "effect/ParseResult"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import type { Simplify } from "effect/Types"
import { AnyEnvelope, ApiError, extrasOf } from "../../foundation/http/ApiError.ts"
import type { Sent } from "../../foundation/http/Contract.ts"

/** When a client retries a request. */
export interface Patience {
  /** The most retries of a request; default 3. */
  readonly retries?: number
  /** The longest wait before a retry; a longer `Retry-After` fails immediately. Default: a minute. */
  readonly longestWait?: Duration.DurationInput
}

/** Whether a request may be sent twice: reads, and requests with an idempotency key. */
const maySendTwice = ({ headers, method }: HttpClientRequest.HttpClientRequest) =>
  method === "GET" || method === "HEAD" || headers["idempotency-key"] !== undefined

/** The `Retry-After` of a 429 or 503, in seconds. */
const requestedWait = (response: HttpClientResponse.HttpClientResponse): Option.Option<number> =>
  response.status === 429 || response.status === 503 ? retryAfter(response) : Option.none()

/** The wait before the retry of a failed connection: half a second, one, two … */
const backoff = (attempt: number) => Duration.millis(500 * 2 ** attempt)

type Execution = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** Repeats a request that may be sent twice: after the `Retry-After` of a 429 or 503, and without a response. */
export const patient = (
  execution: Execution,
  request: HttpClientRequest.HttpClientRequest,
  { longestWait = "1 minute", retries = 3 }: Patience
): Execution => {
  const attempt = (number: number): Execution => {
    if (number >= retries || !maySendTwice(request)) return execution
    const again = (wait: Duration.Duration) =>
      Effect.delay(
        Effect.suspend(() => attempt(number + 1)),
        wait
      )
    return execution.pipe(
      Effect.matchEffect({
        onFailure: (error) =>
          error._tag === "RequestError" && error.reason === "Transport" ? again(backoff(number)) : Effect.fail(error),
        onSuccess: (response) =>
          Option.match(Option.map(requestedWait(response), Duration.seconds), {
            onNone: () => Effect.succeed(response),
            onSome: (wait) => (Duration.lessThanOrEqualTo(wait, longestWait) ? again(wait) : Effect.succeed(response))
          })
      })
    )
  }
  return attempt(0)
}

/** The seconds of `Retry-After` (RFC 9110 §10.2.3). The API never sends dates, so only numbers are read. */
export const retryAfter = ({ headers }: HttpClientResponse.HttpClientResponse): Option.Option<number> =>
  Option.map(
    Option.liftPredicate(headers["retry-after"] ?? "", (text) => /^\d{1,9}$/.test(text)),
    Number
  )

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

/** Status, `Location` and request id of a response. */
const metadata = ({ headers, status }: HttpClientResponse.HttpClientResponse) => ({
  location: headers.location,
  requestId: headers["x-request-id"] ?? "",
  status
})

const readEnvelope = Schema.decodeUnknownOption(AnyEnvelope)

/** An error of the API, or of another program at its URL, such as a proxy. */
const failed = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const body = yield* Effect.option(response.json)
  const envelope = Option.flatMap(body, readEnvelope)
  if (Option.isNone(envelope)) {
    return yield* new HttpClientError.ResponseError({
      description: "The response is not from this API. Check the base URL and any proxy in front of it",
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

/** Status, `Location` and request id of a response. */
export interface Metadata {
  /** 201 and 202 for something new; 200 for a read, and for an existing thing. */
  readonly status: number
  readonly location: string | undefined
  readonly requestId: string
}

type Written<A> = A extends Sent<infer I> ? Exclude<I, undefined> : A

/** Parameters from a caller: numbers are allowed for numeric parameters. */
type Parameters<A, I> = { readonly [K in keyof I]: I[K] | (K extends keyof A ? Exclude<A[K], undefined> : never) }

/** A part of a call; optional when all of its fields are. */
type Part<K extends string, T> = [T] extends [never]
  ? unknown
  : Record<never, never> extends T
    ? { readonly [P in K]?: T }
    : { readonly [P in K]: T }

type Texts<Path> = [Path] extends [never] ? never : { readonly [K in keyof Path]: string }

/** A creation takes a file if the contract does not describe its body. */
type FileOf<Headers> = [Headers] extends [never] ? unknown : { readonly file?: Uint8Array }

type OperationInput<Path, Query, Body, Headers> = Simplify<
  Part<"path", Texts<Path>> &
    Part<"query", [Query] extends [never] ? never : Parameters<Query, Written<Query>>> &
    Part<"body", [Body] extends [never] ? never : Written<Body>> &
    ([Headers] extends [never] ? unknown : { readonly idempotencyKey?: string }) &
    ([Body] extends [never] ? FileOf<Headers> : unknown) & {
      /** Seconds to wait for the end of a run, or for an event in a list, 50 at most; other operations do not wait. */
      readonly wait?: number
    }
>

type Arguments<I> = Record<never, never> extends I ? readonly [input?: I] : readonly [input: I]

type Answer<Success> = [Success] extends [void] ? Metadata : Success & Metadata

type Operation<Endpoint, Errors> = [Endpoint] extends [
  HttpApiEndpoint.HttpApiEndpoint<
    infer _Name,
    infer _Method,
    infer Path,
    infer Query,
    infer Body,
    infer Headers,
    infer Success,
    infer Error,
    infer _R,
    infer _RE
  >
]
  ? (
      ...input: Arguments<OperationInput<Path, Query, Body, Headers>>
    ) => Effect.Effect<
      Answer<Success>,
      Extract<Error | Errors, ApiError> | HttpClientError.HttpClientError | ParseResult.ParseError
    >
  : never

type Operations<Group extends HttpApiGroup.HttpApiGroup.Any, Errors> = {
  readonly [E in HttpApiGroup.HttpApiGroup.Endpoints<Group> as HttpApiEndpoint.HttpApiEndpoint.Name<E>]: Operation<
    E,
    Errors | HttpApiGroup.HttpApiGroup.Error<Group>
  >
}

type Camel<Id extends string> = Id extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Id

type NameOf<Group extends HttpApiGroup.HttpApiGroup.Any> = Camel<HttpApiGroup.HttpApiGroup.Name<Group>>

/** The client of a contract: its groups except `system`, each with its operations. */
export type ClientOf<A> =
  A extends HttpApi.HttpApi<infer _Id, infer Groups, infer Errors, infer _R>
    ? {
        readonly [G in Exclude<Groups, { readonly identifier: "system" }> as NameOf<G>]: Operations<G, Errors>
      }
    : never
