import * as Option from "effect/Option"
import * as HttpDate from "./HttpDate.ts"

/** The longest wait a receiver may ask for, in milliseconds: 24 hours. */
export const longestWait = 24 * 60 * 60 * 1000

const seconds = /^\d+$/

/** The earliest moment (epoch ms) that a `Retry-After` allows, in seconds or as a date (RFC 9110 §10.2.3), at most 24 h after `now`. */
export const earliest = (header: string | null, now: number): Option.Option<number> => {
  const text = header?.trim() ?? ""
  const moment = seconds.test(text) ? Option.some(now + Number(text) * 1000) : HttpDate.parse(text, now)
  return Option.map(moment, (at) => Math.min(at, now + longestWait))
}
