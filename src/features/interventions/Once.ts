import * as Effect from "effect/Effect"
import type { LeaseLost } from "../../foundation/database/Lease.ts"
import { failed, type GitHubFailed, unread } from "./GitHub.ts"
import type { Claim, QueueRepo } from "./Queue.ts"

/** A request that changes something at GitHub. */
export interface Write<A> {
  /** Its name among the writes of a change. */
  readonly name: string
  readonly send: Effect.Effect<A, GitHubFailed>
  /** Reads its result; null when the result is missing. */
  readonly find: Effect.Effect<A | null, GitHubFailed>
}

/** Sends writes, each at most once. */
export type Once = <A>(write: Write<A>) => Effect.Effect<A, GitHubFailed | LeaseLost>

const doubt = (message = "GitHub did not respond") =>
  failed(
    "doubtful",
    `the request was sent once and got no clear answer (${message}). GitHub does not show its result. Findable checks again and does not resend it: roll the change back, then propose it again`
  )

/**
 * Sends each write of a change at most once, because it stores the name before. Without a clear response the result at GitHub decides: the write is done, or
 * the failure is `doubtful`; while the result is unreadable, the failure is temporary. A write refused for a rate limit, or for an invalid token, may be sent
 * later.
 */
export const onlyOnce = (claim: Claim, queue: QueueRepo, scope: string): Once =>
  Effect.fnUntraced(function* ({ find, name, send }) {
    const scoped = `${scope}${name}`
    // A write refused for a rate limit has no stored name, and no other proof that it had no effect.
    const before = claim.turns > 1 && !claim.sent.includes(scoped) ? yield* find : null
    if (before !== null) return before
    const answer = (yield* queue.sending(claim, scoped)) ? yield* Effect.either(send) : undefined
    if (answer?._tag === "Right") return answer.right
    const refusal = answer === undefined || answer.left.kind === "unavailable" ? undefined : answer.left
    if (refusal?.kind === "limited" || refusal?.kind === "unauthorised") {
      yield* queue.forget(claim, scoped)
      return yield* refusal
    }
    const there = yield* Effect.mapError(find, unread)
    if (there !== null) return there
    if (refusal === undefined) return yield* doubt(answer?.left.message)
    yield* queue.forget(claim, scoped)
    return yield* refusal
  })
