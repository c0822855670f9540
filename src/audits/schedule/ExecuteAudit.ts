import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Retry from "effect/Schedule"
import type { AuditFailure } from "../AuditFailure.ts"
import { Auditor } from "../Auditor.ts"
import { Audits } from "../Audits.ts"
import { failed, type Outcome } from "../Outcome.ts"
import { type Claim, DueRepo } from "./DueRepo.ts"
import { attemptsAtMost, renewal } from "./Limits.ts"

const taken = "taken" as const

const lost: AuditFailure = {
  code: "worker_lost",
  message: `The worker of this audit stopped, ${attemptsAtMost} times in a row.`,
  lighthouse_code: null
}

const broken: AuditFailure = {
  code: "lighthouse_error",
  message: "The audit broke; the log of the server tells why.",
  lighthouse_code: null
}

/** Storing an outcome is worth waiting for a database that is away; the lease decides whether it still counts. */
const patiently = Retry.spaced("1 second").pipe(Retry.intersect(Retry.recurs(60)))

/** Executes claimed schedules: audits under a heartbeat, and records the outcome together with the next slot. */
export class ExecuteAudit extends Effect.Service<ExecuteAudit>()("audits/schedule/ExecuteAudit", {
  dependencies: [Auditor.Default, Audits.Default, DueRepo.Default],
  effect: Effect.gen(function* () {
    const auditor = yield* Auditor
    const audits = yield* Audits
    const due = yield* DueRepo

    /** Renews the lease; ends when it is lost. */
    const heartbeat = ({ id, lease }: Claim) =>
      Effect.sleep(renewal).pipe(
        Effect.zipRight(Effect.uninterruptible(due.renew({ id, lease }))),
        // While the database is away nothing can be renewed; when it is back the lease tells whether the audit is still ours.
        Effect.catchAllDefect((defect) =>
          Effect.as(Effect.logWarning("Heartbeat failed", defect), Option.some({ id }))
        ),
        Effect.repeat({ while: Option.isSome })
      )

    /** How the audit ended, or `taken` when the lease was lost meanwhile. */
    const outcomeOf = (claim: Claim) =>
      claim.attempts > attemptsAtMost
        ? Effect.succeed(failed(claim.url, claim.device, lost))
        : auditor.audit(claim.source, claim.url, claim.device).pipe(
            Effect.catchAll(({ failure }) => Effect.succeed(failed(claim.url, claim.device, failure))),
            Effect.catchAllDefect((defect) =>
              Effect.as(Effect.logError("The audit broke", defect), failed(claim.url, claim.device, broken))
            ),
            Effect.raceFirst(Effect.as(heartbeat(claim), taken))
          )

    /** The outcome, its event and the next slot are one transaction; nothing is recorded without the lease. */
    const store = ({ account, id, lease, source }: Claim, outcome: Outcome) =>
      Effect.flatMap(
        due.finish({ id, lease }),
        Option.match({
          onNone: () => Effect.void,
          onSome: () => Effect.asVoid(Effect.orDie(audits.record({ account, schedule: id, source }, outcome)))
        })
      ).pipe(
        due.transaction,
        Effect.catchAllDefect((defect) => Effect.fail(defect)),
        Effect.retry(patiently),
        Effect.orDie
      )

    /** Audits the page of a claimed schedule and records how that ended; a schedule that was taken away meanwhile is left as it is. */
    const execute = (claim: Claim) =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(claim)
        if (outcome === taken) return yield* Effect.logInfo("The audit was taken away")
        yield* Effect.uninterruptible(store(claim, outcome))
      }).pipe(Effect.annotateLogs({ schedule: claim.id }))

    return { execute }
  })
}) {}
