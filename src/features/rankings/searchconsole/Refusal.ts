import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { CleanAnswer } from "../../../foundation/secrets/CleanAnswer.ts"
import type { TokenRefused } from "./AccessTokens.ts"
import { type Kind, SearchConsoleFailed } from "./SearchAnalytics.ts"

const Problem = Schema.Struct({
  error: Schema.Struct({
    message: Schema.optional(Schema.String),
    status: Schema.optional(Schema.String),
    errors: Schema.optional(Schema.Array(Schema.Struct({ reason: Schema.optional(Schema.String) })))
  })
})

const decode = Schema.decodeUnknownOption(Problem)

const quotaReasons = new Set([
  "quotaExceeded",
  "rateLimitExceeded",
  "userRateLimitExceeded",
  "dailyLimitExceeded",
  "servingLimitExceeded"
])

/** Longest reason of the service that is passed on, in characters. */
const longest = 300

/** Reads an answer that is not a success: its status, `Retry-After` header (seconds) and JSON. */
export const of = ({ headers, json, status }: CleanAnswer): SearchConsoleFailed => {
  const error = Option.map(Option.flatMap(json, decode), (problem) => problem.error)
  const retryAfter = headers["retry-after"]
  const reasons = Option.match(error, {
    onNone: () => [],
    onSome: ({ errors, status: code }) => [...(errors ?? []).map(({ reason }) => reason ?? ""), code ?? ""]
  })
  const message = Option.flatMapNullable(error, ({ message }) => message)
  return new SearchConsoleFailed({
    kind: kindOf(status, reasons),
    reason: Option.getOrElse(message, () => `status ${status}`).slice(0, longest),
    status,
    retryAfter: retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Duration.seconds(Number(retryAfter)) : null
  })
}

/** The same for a token that was not given. */
export const ofToken = ({ isPermanent, message: reason }: TokenRefused): SearchConsoleFailed =>
  new SearchConsoleFailed({
    kind: isPermanent ? "unauthorised" : "unavailable",
    reason,
    retryAfter: null,
    status: null
  })

const kindOf = (status: number, reasons: ReadonlyArray<string>): Kind => {
  if (status === 429 || reasons.some((reason) => quotaReasons.has(reason) || reason === "RESOURCE_EXHAUSTED"))
    return "quota"
  if (status >= 500 || status === 408) return "unavailable"
  if (status === 401) return "unauthorised"
  return status === 403 || status === 404 ? "forbidden" : "invalid_request"
}
