import * as Context from "effect/Context"
import * as Option from "effect/Option"
import { waitOf } from "../../../foundation/outbound/Timing.ts"
import { retryDelays } from "../Domain.ts"

/** The schedule in use: `retryDelays`, unless a test sets another. */
export class RetryDelays extends Context.Reference<RetryDelays>()("webhooks/deliveries/RetryDelays", {
  defaultValue: () => retryDelays
}) {}

/** The longest `Retry-After` to obey, in milliseconds. */
const longestWait = 24 * 60 * 60 * 1000

/** The share of a delay that jitter may add, so that recovered endpoints do not get all events together. */
const maxJitter = 0.1

/** Why the service itself deactivates a subscription. */
export type DeactivationReason = "gone" | "failing"

/** A failed attempt, and its subscription. */
export interface FailedAttempt {
  /** The number of the attempt in the schedule, from 1. */
  readonly attempt: number
  /** When the attempt ended, in epoch milliseconds: a `Retry-After` may be a date. */
  readonly endedAt: number
  /** Whether the subscription is still active. */
  readonly isActive: boolean
  /** A random number in 0..1. */
  readonly jitter: number
  /** Whether the subscription has only failed for 5 days, with another failed delivery at least 12 hours ago. */
  readonly outOfPatience: boolean
  readonly retryAfter: string | null
  readonly statusCode: number | null
}

/**
 * The next step after a failed attempt: a retry, or the end of the delivery, perhaps of the subscription too. The wait is in milliseconds rather than a time,
 * because the queue uses the database's clock.
 */
type NextStep =
  | { readonly _tag: "Retry"; readonly waitMs: number }
  | {
      readonly _tag: "Fail"
      readonly reason: "attempts_exhausted" | "webhook_deactivated"
      readonly deactivate: Option.Option<DeactivationReason>
    }

const waitAfter = ({ endedAt, jitter, retryAfter, statusCode }: FailedAttempt, delay: number): number => {
  const scheduled = Math.round(delay * (1 + maxJitter * Math.min(Math.max(jitter, 0), 1)))
  const throttled = statusCode === 429 || statusCode === 503
  const requested = throttled ? waitOf(retryAfter, null, endedAt) : Option.none()
  return Math.max(
    scheduled,
    Math.min(
      Option.getOrElse(requested, () => 0),
      longestWait
    )
  )
}

/**
 * The retry policy, which only depends on its arguments. A delivery keeps its schedule to the end, unless its subscription is inactive or the endpoint
 * returns 410.
 */
export const afterFailure = (failed: FailedAttempt, schedule: ReadonlyArray<number> = retryDelays): NextStep => {
  if (!failed.isActive) return { _tag: "Fail", reason: "webhook_deactivated", deactivate: Option.none() }
  if (failed.statusCode === 410) {
    return { _tag: "Fail", reason: "webhook_deactivated", deactivate: Option.some("gone") }
  }
  const delay = schedule[failed.attempt - 1]
  if (delay !== undefined) return { _tag: "Retry", waitMs: waitAfter(failed, delay) }
  return {
    _tag: "Fail",
    reason: "attempts_exhausted",
    deactivate: failed.outOfPatience ? Option.some("failing") : Option.none()
  }
}
