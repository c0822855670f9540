import * as Effect from "effect/Effect"
import { Auditor } from "../Auditor.ts"
import { Audits } from "../Audits.ts"
import { failureOutcome, type Outcome } from "../Outcome.ts"
import { type Claim, DueRepo } from "./DueRepo.ts"

/** Audits the pages of claimed schedules, and records the outcome together with the next slot. */
export class ExecuteAudit extends Effect.Service<ExecuteAudit>()("audits/schedule/ExecuteAudit", {
  dependencies: [Auditor.Default, Audits.Default, DueRepo.Default],
  effect: Effect.gen(function* () {
    const auditor = yield* Auditor
    const audits = yield* Audits
    const due = yield* DueRepo

    const work = ({ device, source, url }: Claim) =>
      Effect.catchAll(auditor.audit(source, url, device), ({ failure }) =>
        Effect.succeed<Outcome>(failureOutcome(url, device, failure))
      )

    /** The outcome, its event and the next slot are one transaction; nothing is recorded without the lease. */
    const store = (claim: Claim, outcome: Outcome) => {
      const { account, id, source } = claim
      return Effect.zipRight(
        due.finish(claim),
        Effect.asVoid(Effect.orDie(audits.record({ account, schedule: id, source }, outcome)))
      )
    }

    return { store, work }
  })
}) {}
