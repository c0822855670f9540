import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Lease from "../../../foundation/database/Lease.ts"
import { attemptsAtMost } from "../../../foundation/database/Slots.ts"
import type { AuditFailure, Auditing } from "../Domain.ts"
import { failureOutcome } from "../Outcome.ts"
import { checkEquipment } from "../run/Equipment.ts"
import { type Claim, DueRepo } from "./DueRepo.ts"
import { ExecuteAudit } from "./ExecuteAudit.ts"

const lost: AuditFailure = {
  code: "worker_lost",
  message: `The worker of this audit stopped ${attemptsAtMost} times in a row.`,
  lighthouse_code: null
}

const broken: AuditFailure = {
  code: "lighthouse_error",
  message: "The audit failed unexpectedly; see the server log.",
  lighthouse_code: null
}

/** Runs the due audits of one source. Slots are minutes apart, so one look a second is enough. */
const auditing = Effect.fnUntraced(function* (source: Auditing) {
  const { queues } = yield* DueRepo
  const { store, work } = yield* ExecuteAudit
  const failing = (failure: AuditFailure) => (claim: Claim) => failureOutcome(claim.url, claim.device, failure)
  yield* Lease.worker({
    broken: failing(broken),
    lost: failing(lost),
    name: "audit",
    outcome: ({ verdict }) => (Either.isLeft(verdict) ? verdict.left.code : "completed"),
    queue: queues[source],
    store,
    work
  })
})

/** The sources that this node can serve. */
const equipment = checkEquipment.pipe(
  Effect.as<ReadonlyArray<Auditing>>(["lighthouse", "psi"]),
  Effect.catchAll(({ message }) =>
    Effect.as(Effect.logInfo(`This node does not run scheduled Lighthouse audits. ${message}`), ["psi"] as const)
  )
)

/** Runs scheduled audits until its scope ends. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(equipment, (sources) => Effect.forEach(sources, auditing, { discard: true }))
).pipe(Layer.provide([ExecuteAudit.Default, DueRepo.Default]), Layer.provide(BunContext.layer))
