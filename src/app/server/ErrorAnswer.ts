import * as HttpApiError from "@effect/platform/HttpApiError"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { SqlError } from "@effect/sql/SqlError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import {
  absence,
  isAbsent,
  isAway,
  isBusy,
  isFull,
  isReadOnly,
  sqlMessage
} from "../../foundation/database/SqlState.ts"
import { StatementTooSlow } from "../../foundation/database/StatementLimit.ts"
import { ApiError, apiError, extrasOf } from "../../foundation/http/ApiError.ts"
import { codes } from "../../foundation/http/ErrorCodes.ts"
import { jsonResponse } from "../../foundation/http/JsonResponse.ts"
import { nearest } from "../../foundation/text/Words.ts"

const away = apiError("service_unavailable", "The database is away; nothing was started, try again later", {
  headers: { "retry-after": "5" }
})
const full = apiError("service_unavailable", "The database has no disk space left; nothing was stored, try later", {
  headers: { "retry-after": "30" }
})
const readOnly = apiError("service_unavailable", "The database is read-only; nothing was stored, try later", {
  headers: { "retry-after": "30" }
})
const busy = apiError(
  "service_unavailable",
  "This node is busy: no connection to the database was free in time; nothing was started, try again later",
  { headers: { "retry-after": "5" } }
)
const stopped = apiError("service_unavailable", "The request was interrupted; try again later", {
  headers: { "retry-after": "1" }
})
const defect = apiError("internal_error", "Internal error; look up the request id in the server log")
const notFound = apiError("not_found", "There is no such route")

/** The schema library's message for an unknown field, with the known ones. */
const unexpected = /^is unexpected, expected: (.+)$/

const quoted = /"((?:[^"\\]|\\.)*)"/g

/** Names are compared by their letters: people mean `max_pages` by `maxPages` and `max-pages`. */
const letters = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")

/** The most similar of the known names, however far; undefined where there is none. */
export const mostSimilar = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const spelled = new Map(known.map((other) => [letters(other), other]))
  return spelled.get(nearest(letters(name.slice(0, 100)), spelled.keys(), Number.POSITIVE_INFINITY) ?? "")
}

/** The message for a problem with a field; for an unknown field it names the nearest known one. */
export const worded = (path: string, message: string): string => {
  const expected = unexpected.exec(message)?.[1]
  if (expected === undefined) return message
  const known = Array.from(expected.matchAll(quoted), ([, name = ""]) => name)
  const close = mostSimilar(path.split(".").at(-1) ?? path, known)
  return close === undefined ? "is not known here" : `is not a known field, the nearest is ${close}`
}

/** Fields in `details` at most, and characters of each problem: a problem may quote all that was sent. */
const mostProblems = 20
const longestProblem = 500

const short = (text: string) => (text.length > longestProblem ? `${text.slice(0, longestProblem)}…` : text)

/** One problem per field; the messages of a failed union are joined. */
const problems = (issues: HttpApiError.HttpApiDecodeError["issues"]) => {
  const messages = new Map<string, Set<string>>()
  for (const { message, path } of issues) {
    const field = short(path.map(String).join(".") || "body")
    const said = messages.get(field) ?? (messages.size < mostProblems ? new Set<string>() : undefined)
    if (said !== undefined) messages.set(field, said.add(worded(field, message)))
  }
  return Array.from(messages, ([path, said]) => ({ message: short(Array.from(said).join("; or ")), path }))
}

const invalid = (error: HttpApiError.HttpApiDecodeError) => {
  const details = problems(error.issues)
  const message = details.map(({ message, path }) => `${path} ${message}`).join("; ")
  return apiError("validation_error", message, { details })
}

const listed = new Intl.ListFormat("en", { type: "disjunction" })

/** Answer to a read whose statement reached its limit: the caller narrows it, or tries again where it has no parameters. */
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

/** The error that a failed request is answered with. Defects are logged. `narrowing` names the parameters that make a read smaller. */
export const errorOf = (
  cause: Cause.Cause<unknown>,
  narrowing: ReadonlyArray<string> = []
): Effect.Effect<ApiError> => {
  const error = Cause.squash(cause)
  if (error instanceof ApiError) return Effect.succeed(error)
  if (error instanceof HttpApiError.HttpApiDecodeError) return Effect.succeed(invalid(error))
  // The access log has it; a line for each would turn a flood of requests into a flood of lines.
  if (error instanceof SqlError && isBusy(error)) return Effect.succeed(busy)
  if (error instanceof SqlError && isAway(error)) {
    const known = isAbsent(error) ? absence(error) : `A statement was given up: ${sqlMessage(error)}`
    return Effect.as(Effect.logWarning(known), isFull(error) ? full : isReadOnly(error) ? readOnly : away)
  }
  if (error instanceof StatementTooSlow) return Effect.succeed(tooSlow(error, narrowing))
  if (Cause.isInterruptedOnly(cause)) return Effect.succeed(stopped)
  if (typeof error === "object" && error !== null && "_tag" in error && error._tag === "RouteNotFound") {
    return Effect.succeed(notFound)
  }
  return Effect.as(Effect.logError("Request failed", cause), defect)
}

/** The error envelope. */
export const answer = (error: ApiError, requestId: string): HttpServerResponse.HttpServerResponse =>
  jsonResponse(
    {
      error: {
        code: error.code,
        message: error.message,
        request_id: requestId,
        ...extrasOf(error)
      }
    },
    { headers: error.headers, status: codes[error.code].status }
  )
