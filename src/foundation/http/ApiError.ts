import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Conflict, Invalid, NotFound } from "../schema/DomainError.ts"
import { field } from "../schema/Scalars.ts"

/** Every `error.code` of the API with its HTTP status and meaning; the README's table and OpenAPI are made from this. */
export const codes = {
  unauthorized: {
    status: 401,
    meaning: "no API key, an unknown or revoked key, or two different keys; `message` says which"
  },
  missing_key: { status: 401, meaning: "crawls: no API key was sent" },
  invalid_key: {
    status: 401,
    meaning: "crawls: the key is unknown or malformed, or two different keys were sent"
  },
  revoked_key: { status: 401, meaning: "crawls: the key was revoked" },
  auth_unavailable: { status: 401, meaning: "crawls: the key is not linked to an account" },
  insufficient_scope: {
    status: 403,
    meaning:
      "the key lacks the scope of this endpoint, or would give another key more scopes or a later expiry than its own"
  },
  forbidden: { status: 403, meaning: "`/mcp`: `Origin` or `Host` is not this server" },
  not_found: {
    status: 404,
    meaning: "no endpoint at this path, or the object does not exist or belongs to another account"
  },
  method_not_allowed: { status: 405, meaning: "the endpoint has other methods; `Allow` lists them" },
  conflict: { status: 409, meaning: "the current state of the object does not allow this; `message` says why" },
  not_over: {
    status: 409,
    meaning: "experiments: the days after the change are not final yet; retry at `available_at`"
  },
  not_configured: {
    status: 409,
    meaning:
      "AI visibility: the administrator has not set the API key of an engine, or a daily budget; `message` names the setting"
  },
  idempotency_conflict: { status: 409, meaning: "the Idempotency-Key was used for a different request" },
  payload_too_large: {
    status: 413,
    meaning:
      "the body is larger than 256 KiB (experiments: 4 MiB; interventions: 2 MiB; search data files: `FINDABLE_IMPORT_MAX_BYTES`)"
  },
  unsupported_media_type: {
    status: 415,
    meaning: "the body is not JSON, is compressed, or is a form upload"
  },
  validation_error: {
    status: 422,
    meaning: "the body, a parameter or a header is invalid, or a query takes too long; `details` lists the fields"
  },
  invalid_cursor: { status: 422, meaning: "the cursor is malformed, altered, or belongs to another list" },
  missing_data: {
    status: 422,
    meaning: "experiments: less than three quarters of a window's days have page data"
  },
  not_assessable: {
    status: 422,
    meaning:
      "experiments: the test or control pages have no clicks or no impressions in a window, or only those of one page"
  },
  too_few_pages: {
    status: 422,
    meaning: "experiments: fewer than five test or control pages had a click before the change"
  },
  history_too_short: {
    status: 422,
    meaning: "experiments: pages that were not randomly assigned need more days of history; `needed_days` says how many"
  },
  quota_exceeded: {
    status: 429,
    meaning:
      "a quota is used up: crawls per hour, backlink checks per day, or crawls, imports or exports in progress; retry after `Retry-After` seconds"
  },
  rate_limit_exceeded: {
    status: 429,
    meaning:
      "too many requests per minute or second, or too many new keys in a minute; retry after `Retry-After` seconds"
  },
  internal_error: { status: 500, meaning: "server error; the server's log has the cause under the request id" },
  not_implemented: { status: 501, meaning: "this endpoint does not run audits: create an audit schedule instead" },
  service_unavailable: {
    status: 503,
    meaning: "temporary problem, nothing was started; retry after `Retry-After` seconds"
  }
} as const

type Code = keyof typeof codes

/** One invalid field: its dotted path and its problem. */
export class FieldProblem extends Schema.Class<FieldProblem>("FieldProblem")(
  {
    path: Schema.String.annotations({
      description: "Dotted path of the field, such as `events.0`; a parameter or header by its name"
    }),
    message: Schema.String.annotations({ description: "What is wrong with it" })
  },
  [undefined, { description: "One invalid field" }]
) {}

/** Fields for programs beside the code of an error. */
const extras = {
  details: Schema.optionalWith(Schema.Array(FieldProblem), { exact: true }).annotations({
    description: "Invalid fields; only with `validation_error`"
  }),
  available_at: Schema.optionalWith(Schema.String, { exact: true }).annotations({
    description: "Only with `not_over`: when the same request will succeed",
    jsonSchema: { format: "date-time", type: "string" }
  }),
  needed_days: Schema.optionalWith(Schema.Int, { exact: true }).annotations({
    description: "Only with `history_too_short`: days of page data needed before the change"
  })
}

type Extras = Schema.Struct.Type<typeof extras>

/** The fields that an error has. */
export const extrasOf = ({ available_at, details, needed_days }: Extras): Extras => ({
  ...(details === undefined ? {} : { details }),
  ...(available_at === undefined ? {} : { available_at }),
  ...(needed_days === undefined ? {} : { needed_days })
})

/** An error of the API. Every failure of a request becomes such an error. */
export class ApiError<C extends Code = Code> extends Data.TaggedError("ApiError")<{
  readonly code: Code
  readonly message: string
  readonly details?: ReadonlyArray<FieldProblem>
  readonly available_at?: string
  readonly needed_days?: number
  readonly headers?: Readonly<Record<string, string>>
  /** In a client: the id of the request in the server's log. */
  readonly requestId?: string
  /** In a client: seconds to wait before the request is sent again. */
  readonly retryAfter?: number
}> {
  declare readonly code: C
}

/** An error of the given code, with one sentence for the caller. */
export const apiError = <C extends Code>(
  code: C,
  message: string,
  extra: Extras & { readonly headers?: Readonly<Record<string, string>> } = {}
) => new ApiError<C>({ code, message, ...extra })

/** The schema name of an error: its code in PascalCase, or the status for many codes. */
const nameOf = ([first, ...others]: readonly [Code, ...ReadonlyArray<Code>]) =>
  others.length > 1
    ? `Error${codes[first].status}`
    : [first, ...others]
        .map((code) =>
          `${code.replace(/_error$/, "")}_error`.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase())
        )
        .join("Or")

const envelopeOf = <S extends Schema.Schema.All>(name: string, code: S) =>
  Schema.Struct({
    error: field(
      Schema.Struct({
        code: field(code, "Error code for programs; the description of the response says what each means"),
        message: Schema.String.annotations({
          description: "One sentence for people: what happened, why, and what to do"
        }),
        request_id: Schema.String.annotations({
          description: "Id of the request, also in `X-Request-Id` and in the server's log"
        }),
        ...extras
      }).annotations({ identifier: `${name}Body`, description: "What went wrong" }),
      "What went wrong"
    )
  })

/** The JSON of an error response with one of these codes. */
const Envelope = <const C extends Code>(first: C, ...others: ReadonlyArray<C>) =>
  envelopeOf(nameOf([first, ...others]), Schema.Literal(first, ...others))

/** The JSON of an error response with any code. */
export const AnyEnvelope = envelopeOf(
  "Error",
  Schema.String.pipe(
    Schema.filter((text): text is Code => Object.hasOwn(codes, text), { jsonSchema: { enum: Object.keys(codes) } })
  )
).annotations({
  identifier: "Error",
  description: "Error response: what is wrong, and the id of the request"
})

/** Declares a failure of an endpoint: one code, or several of one status. The typed client decodes the envelope back to an `ApiError`. */
export const failure = <const C extends Code>(first: C, ...others: ReadonlyArray<C>) => {
  const mine: readonly [Code, ...ReadonlyArray<Code>] = [first, ...others]
  return Schema.transform(
    Envelope(first, ...others),
    Schema.declare((input: unknown): input is ApiError<C> => input instanceof ApiError && mine.includes(input.code)),
    {
      strict: true,
      decode: ({ error }) => apiError(error.code, error.message, extrasOf(error)),
      encode: (failed) => ({
        error: { code: failed.code, message: failed.message, request_id: "", ...extrasOf(failed) }
      })
    }
  ).annotations({
    ...HttpApiSchema.annotations({ status: codes[first].status }),
    identifier: nameOf(mine),
    description: mine.map((code) => `\`${code}\`: ${codes[code].meaning}`).join("; ")
  })
}

/** The headers of a limit: the limit, the remaining requests, and the seconds until the limit grows again. */
export const rateHeaders = (limit: number, remaining: number, reset: number) => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(reset)
})

/** The headers of a response that asks the caller to wait, in seconds. */
export const waitHeaders = (limit: number, wait: number) => ({
  ...rateHeaders(limit, 0, wait),
  "retry-after": String(wait)
})

/** The API's error of a failure: domain errors are mapped, others stay unchanged. */
type ApiErrorOf<E> = E extends NotFound
  ? ApiError<"not_found">
  : E extends Conflict
    ? ApiError<"conflict">
    : E extends Invalid
      ? ApiError<"validation_error">
      : E

const apiErrorOf = (error: unknown): unknown => {
  if (error instanceof NotFound) return apiError("not_found", error.message)
  if (error instanceof Conflict) return apiError("conflict", error.message)
  if (error instanceof Invalid) return apiError("validation_error", error.message, { details: error.details })
  return error
}

/** Maps the domain errors of a use case to the API's. The overload is needed because the compiler cannot follow a conditional type through a function. */
export function withApiErrors<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, ApiErrorOf<E>, R>
export function withApiErrors<A, R>(effect: Effect.Effect<A, unknown, R>): Effect.Effect<A, unknown, R> {
  return Effect.mapError(effect, apiErrorOf)
}
