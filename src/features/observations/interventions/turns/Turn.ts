import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Claim, Left } from "../QueueRepo.ts"
import { rollback } from "../State.ts"

/** What a turn makes of a change; `starts`: a run is to be started with it, in the same transaction. */
export interface Turn extends Omit<Left, "asked" | "id" | "lease"> {
  readonly starts: boolean
}

/** The change as it was, with nothing left to do. */
const kept = ({ github, mergedAt, status, verifications, verifiedBy, verifyRun, wordpress }: Claim): Turn => ({
  due: null,
  error: null,
  github,
  mergedAt,
  starts: false,
  status,
  verifications,
  verifiedBy,
  verifyRun,
  wordpress
})

/** The change as it is now, with what follows from this turn. */
export const made = (claim: Claim, changes: Partial<Turn>): Turn => ({ ...kept(claim), ...changes })

/** The same, to be looked at again after a while. */
export const again = (claim: Claim, wait: Duration.DurationInput, changes: Partial<Turn> = {}): Effect.Effect<Turn> =>
  Effect.map(DateTime.now, (now) => made(claim, { due: DateTime.addDuration(now, wait), ...changes }))

/** After a merge, when a change is looked for on the site, in minutes. */
const looks = [5, 30, 120, 1440] as const

/** A change that was just merged or written. */
export const merged = (claim: Claim, at: DateTime.Utc, changes: Partial<Turn> = {}): Turn =>
  made(claim, {
    due: DateTime.add(at, { minutes: looks[0] }),
    mergedAt: at,
    status: "merged",
    verifications: 0,
    ...changes
  })

/**
 * A change of which a write was sent that neither an answer nor the other side shows. It is in conflict, and looked at at the times of a look, since the write may
 * have its effect late; it is not sent again.
 */
export const doubtful = (claim: Claim, error: string): Effect.Effect<Turn> => {
  const minutes = looks[claim.verifications]
  const changes = { error, status: "conflict", verifications: claim.verifications + 1 } as const
  return minutes === undefined
    ? Effect.succeed(made(claim, { ...changes, verifications: claim.verifications }))
    : again(claim, Duration.minutes(minutes), changes)
}

/** Whether a change is being taken back, or in doubt since it was. */
export const isTakenBack = ({ sent, status }: Claim): boolean =>
  status === "rolling_back" || (status === "conflict" && sent.some((name) => name.startsWith(rollback)))

/** How many of the times for a look are over. */
export const looksOver = (claim: Claim, now: DateTime.Utc): number => {
  const { mergedAt } = claim
  return mergedAt === null
    ? 0
    : looks.filter((minutes) => DateTime.lessThanOrEqualTo(DateTime.add(mergedAt, { minutes }), now)).length
}

/** A change that a look did not find on the site: it is looked for at the next time, and after the last one it is not verified. */
export const unseen = (claim: Claim, error: string, changes: Partial<Turn> = {}): Turn => {
  const minutes = looks[changes.verifications ?? claim.verifications]
  const { mergedAt } = claim
  return minutes === undefined || mergedAt === null || claim.status === "not_verified"
    ? made(claim, { error, status: "not_verified", verifyRun: null, ...changes })
    : made(claim, { due: DateTime.add(mergedAt, { minutes }), error, verifyRun: null, ...changes })
}
