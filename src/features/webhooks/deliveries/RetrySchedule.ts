import * as Option from "effect/Option"
import { waitOf } from "../../../foundation/outbound/RetryAfter.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** How long to wait after the first, second … failed attempt, in milliseconds. */
export const delays: ReadonlyArray<number> = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour
]

/** The longest wait a receiver may ask for, in milliseconds. */
const longestWait = 24 * hour

/** The share of a delay that jitter may add, so that receivers coming back are not hit by all events at once. */
export const maxJitter = 0.1

/** Why the service itself deactivates a subscription. */
export type DeactivationReason = "gone" | "failing"

/** One attempt that was not accepted. */
export interface FailedAttempt {
  /** 1 for the first attempt. */
  readonly attempt: number
  /** When the attempt ended, in epoch milliseconds. */
  readonly endedAt: number
  /** A random number in 0..1. */
  readonly jitter: number
  /** Whether the subscription has done nothing but fail for 5 days, with another failed delivery 12 hours or more ago among it. */
  readonly outOfPatience: boolean
  readonly retryAfter: string | null
  readonly statusCode: number | null
}

/** What follows a failed attempt: another one at a time in epoch milliseconds, or the end of the delivery, perhaps of the subscription too. */
export type NextStep =
  | { readonly _tag: "Retry"; readonly at: number }
  | { readonly _tag: "Fail"; readonly deactivate: Option.Option<DeactivationReason> }

const retryAt = (failed: FailedAttempt, delay: number): number => {
  const jitter = Math.min(Math.max(failed.jitter, 0), 1)
  const scheduled = failed.endedAt + Math.round(delay * (1 + maxJitter * jitter))
  const throttled = failed.statusCode === 429 || failed.statusCode === 503
  const asked = throttled ? waitOf(failed.retryAfter, null, failed.endedAt) : Option.none()
  return Math.max(
    scheduled,
    failed.endedAt +
      Math.min(
        Option.getOrElse(asked, () => 0),
        longestWait
      )
  )
}

/** The retry policy: total, and decided by its argument alone. A delivery keeps its schedule to the end, unless the receiver says that it is gone. */
export const afterFailure = (failed: FailedAttempt): NextStep => {
  if (failed.statusCode === 410) return { _tag: "Fail", deactivate: Option.some("gone") }
  const delay = delays[failed.attempt - 1]
  if (delay !== undefined) return { _tag: "Retry", at: retryAt(failed, delay) }
  return { _tag: "Fail", deactivate: failed.outOfPatience ? Option.some("failing") : Option.none() }
}
