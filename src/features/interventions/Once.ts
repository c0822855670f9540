import * as Effect from "effect/Effect"
import type { LeaseLost } from "../../foundation/database/Lease.ts"
import { failed, type GitHubFailed, unread } from "./GitHub.ts"
import type { Claim, QueueRepo } from "./Queue.ts"

/** A request that changes something at GitHub. */
export interface Write<A> {
  /** What it is known by among the writes of a change. */
  readonly name: string
  readonly send: Effect.Effect<A, GitHubFailed>
  /** Reads what it makes; null where that is not there. */
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
 * Sends each write of a change at most once, whatever becomes of the answer: its name is stored before. Without an answer by which GitHub takes or refuses it, what
 * is there decides: it is done, or the failure is `doubtful`; while that cannot be read, the failure is passing. A write that GitHub refused for a limit, or for a
 * token that is not valid, may be sent later.
 */
export const onlyOnce = (claim: Claim, queue: QueueRepo, scope: string): Once =>
  Effect.fnUntraced(function* ({ find, name, send }) {
    const scoped = `${scope}${name}`
    // A write that was refused for a limit has no name, and no other proof that it did nothing.
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
