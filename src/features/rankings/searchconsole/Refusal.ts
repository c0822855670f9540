import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Kind, SearchConsoleFailed } from "./SearchAnalytics.ts"

const Problem = Schema.parseJson(
  Schema.Struct({
    error: Schema.Struct({
      message: Schema.optional(Schema.String),
      status: Schema.optional(Schema.String),
      errors: Schema.optional(Schema.Array(Schema.Struct({ reason: Schema.optional(Schema.String) })))
    })
  })
)

const decode = Schema.decodeOption(Problem)

const quotaReasons = new Set([
  "quotaExceeded",
  "rateLimitExceeded",
  "userRateLimitExceeded",
  "dailyLimitExceeded",
  "servingLimitExceeded"
])

/** Longest reason of the service that is passed on, in characters. */
const longest = 300

/** Reads an answer that is not a success: its status, `Retry-After` header (seconds) and JSON body. */
export const of = (status: number, retryAfter: string | undefined, body: string): SearchConsoleFailed => {
  const error = Option.map(decode(body), (problem) => problem.error)
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

const kindOf = (status: number, reasons: ReadonlyArray<string>): Kind => {
  if (status === 429 || reasons.some((reason) => quotaReasons.has(reason) || reason === "RESOURCE_EXHAUSTED"))
    return "quota"
  if (status >= 500 || status === 408) return "unavailable"
  if (status === 401) return "unauthorised"
  return status === 403 || status === 404 ? "forbidden" : "invalid_request"
}
