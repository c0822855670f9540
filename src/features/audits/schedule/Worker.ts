import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Lease from "../../../foundation/database/Lease.ts"
import type { AuditFailure } from "../AuditFailure.ts"
import { failed } from "../Outcome.ts"
import { checkEquipment } from "../run/Equipment.ts"
import type { Auditing } from "../Source.ts"
import { type Claim, DueRepo } from "./DueRepo.ts"
import { ExecuteAudit } from "./ExecuteAudit.ts"
import { attemptsAtMost } from "./Limits.ts"

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

/** Audits what is due by one source. Slots are minutes apart, so looking each second is soon enough. */
const auditing = Effect.fnUntraced(function* (source: Auditing) {
  const { queues } = yield* DueRepo
  const { store, work } = yield* ExecuteAudit
  const failing = (failure: AuditFailure) => (claim: Claim) => failed(claim.url, claim.device, failure)
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

/** What this node can audit with. */
const equipment = checkEquipment.pipe(
  Effect.as<ReadonlyArray<Auditing>>(["lighthouse", "psi"]),
  Effect.catchAll(({ message }) =>
    Effect.as(Effect.logInfo(`This node leaves scheduled Lighthouse audits to others. ${message}`), ["psi"] as const)
  )
)

/** Makes scheduled audits for as long as it lives. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(equipment, (sources) => Effect.forEach(sources, auditing, { discard: true }))
).pipe(Layer.provide([ExecuteAudit.Default, DueRepo.Default]), Layer.provide(BunContext.layer))
