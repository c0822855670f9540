import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Option from "effect/Option"

/** The seconds that an answer asks to wait; dates, which the API never sends, and what else is no number are not read (RFC 9110, section 10.2.3). */
export const retryAfter = ({ headers }: HttpClientResponse.HttpClientResponse): Option.Option<number> =>
  Option.map(
    Option.liftPredicate(headers["retry-after"] ?? "", (text) => /^\d{1,9}$/.test(text)),
    Number
  )
