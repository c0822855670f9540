import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { AccountId } from "../accounts/Domain.ts"
import { Events } from "../events/Events.ts"
import type { AuditId } from "./Domain.ts"
import { auditCompleted, auditFailed } from "./Events.ts"
import type { Outcome } from "./Outcome.ts"

/** Publishes how an audit ended, in the transaction that records it. */
export class AuditEvents extends Effect.Service<AuditEvents>()("audits/AuditEvents", {
  dependencies: [Events.Default],
  effect: Effect.map(Events, ({ publish }) => ({
    ended: (account: AccountId, id: AuditId, { url, verdict }: Outcome) => {
      const subject = { subject: "audit" as const, id, url }
      const occurrence = { occurrence: `audit/${id}` }
      return Either.match(verdict, {
        onLeft: (error) =>
          publish(account, auditFailed, { ...subject, outcome: { status: "failed", error } }, occurrence),
        onRight: ({ report: { findings_summary, overall_score, scores } }) =>
          publish(
            account,
            auditCompleted,
            { ...subject, outcome: { status: "completed", overall_score, scores, findings_summary } },
            occurrence
          )
      })
    }
  }))
}) {}
