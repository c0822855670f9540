import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Option from "effect/Option"

/** The seconds of `Retry-After` (RFC 9110 §10.2.3). The API never sends dates, so only numbers are read. */
export const retryAfter = ({ headers }: HttpClientResponse.HttpClientResponse): Option.Option<number> =>
  Option.map(
    Option.liftPredicate(headers["retry-after"] ?? "", (text) => /^\d{1,9}$/.test(text)),
    Number
  )
