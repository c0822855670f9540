import * as Option from "effect/Option"
import * as HttpDate from "./HttpDate.ts"

const seconds = /^\d+$/

/**
 * The wait that a `Retry-After` (RFC 9110 §10.2.3) requests, in milliseconds: none when it is absent or neither seconds nor a date.
 * A date is counted from the answer's own `Date` if it has one, else from `now`, so a server with a wrong clock gets the wait it meant.
 */
export const waitOf = (retryAfter: string | null, date: string | null, now: number): Option.Option<number> => {
  const text = retryAfter?.trim() ?? ""
  if (seconds.test(text)) return Option.some(Number(text) * 1000)
  const from = Option.getOrElse(HttpDate.parse(date?.trim() ?? "", now), () => now)
  return Option.map(HttpDate.parse(text, now), (until) => Math.max(0, until - from))
}
