import * as HttpApiError from "@effect/platform/HttpApiError"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { absence, isAbsent, isAway, isFull, isReadOnly, sqlMessage } from "../database/SqlState.ts"
import { StatementTooSlow } from "../database/StatementLimit.ts"
import { ApiError, apiError, codes } from "../http/Failure.ts"
import { worded } from "../http/UnknownField.ts"

const away = apiError("service_unavailable", "The database is away; nothing was started, try again later", {
  headers: { "retry-after": "5" }
})
const full = apiError("service_unavailable", "The database has no disk space left; nothing was stored, try later", {
  headers: { "retry-after": "30" }
})
const readOnly = apiError("service_unavailable", "The database is read-only; nothing was stored, try later", {
  headers: { "retry-after": "30" }
})
const stopped = apiError("service_unavailable", "The request was interrupted; try again later", {
  headers: { "retry-after": "1" }
})
const defect = apiError("internal_error", "Something is wrong on our side; the request id finds it in the log")
const notFound = apiError("not_found", "There is no such route")

/** One problem a field: of a choice that none of the alternatives took, all of them are told in one message. */
const problems = (issues: HttpApiError.HttpApiDecodeError["issues"]) => {
  const messages = new Map<string, Set<string>>()
  for (const { message, path } of issues) {
    const field = path.map(String).join(".") || "body"
    messages.set(field, (messages.get(field) ?? new Set()).add(worded(field, message)))
  }
  return Array.from(messages, ([path, said]) => ({ message: Array.from(said).join("; or "), path }))
}

const invalid = (error: HttpApiError.HttpApiDecodeError) => {
  const details = problems(error.issues)
  const message = details.map(({ message, path }) => `${path} ${message}`).join("; ")
  return apiError("validation_error", message, { details })
}

const listed = new Intl.ListFormat("en", { type: "disjunction" })

/** What a read is answered with whose statement reached its limit: the caller can narrow it, or, where it has no parameters, try again. */
const tooSlow = ({ seconds }: StatementTooSlow, narrowing: ReadonlyArray<string>) =>
  narrowing.length === 0
    ? apiError("service_unavailable", `The database needed more than ${seconds} s for this; try again later`, {
        headers: { "retry-after": "30" }
      })
    : apiError(
        "validation_error",
        `The database needed more than ${seconds} s for this: narrow the query by ${listed.format(narrowing)}`,
        { details: narrowing.map((path) => ({ message: "narrows the query", path })) }
      )

/** What a failed request is answered with. Only defects are logged: they are ours to mend. `narrowing` names the parameters by which a read gets smaller. */
export const errorOf = (
  cause: Cause.Cause<unknown>,
  narrowing: ReadonlyArray<string> = []
): Effect.Effect<ApiError> => {
  const error = Cause.squash(cause)
  if (error instanceof ApiError) return Effect.succeed(error)
  if (error instanceof HttpApiError.HttpApiDecodeError) return Effect.succeed(invalid(error))
  if (error instanceof SqlError && isAway(error)) {
    const known = isAbsent(error) ? absence(error) : `A statement gave up: ${sqlMessage(error)}`
    return Effect.as(Effect.logWarning(known), isFull(error) ? full : isReadOnly(error) ? readOnly : away)
  }
  if (error instanceof StatementTooSlow) return Effect.succeed(tooSlow(error, narrowing))
  if (Cause.isInterruptedOnly(cause)) return Effect.succeed(stopped)
  if (typeof error === "object" && error !== null && "_tag" in error && error._tag === "RouteNotFound") {
    return Effect.succeed(notFound)
  }
  return Effect.as(Effect.logError("Request failed", cause), defect)
}

/** The error as an answer in the envelope. */
export const answer = (error: ApiError, requestId: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson(
    {
      error: {
        code: error.code,
        message: error.message,
        request_id: requestId,
        ...(error.details === undefined ? {} : { details: error.details })
      }
    },
    { headers: error.headers, status: codes[error.code].status }
  )
