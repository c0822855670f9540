import * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Claim, Left } from "../QueueRepo.ts"

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
