import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Outages } from "../../database/Outages.ts"
import { checkEquipment } from "../run/Equipment.ts"
import type { Auditing } from "../Source.ts"
import { DueRepo } from "./DueRepo.ts"
import { ExecuteAudit } from "./ExecuteAudit.ts"

/** Slots are minutes apart: looking each second costs next to nothing, and no notification is needed. */
const poll = "1 second"

/** Claims due schedules of one source, one after the other; a graceful stop hands the one at hand back. */
const runner = Effect.fnUntraced(function* (source: Auditing) {
  const repo = yield* DueRepo
  const { execute } = yield* ExecuteAudit
  const turn = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      repo.claim(source),
      Option.match({
        onNone: () => restore(Effect.sleep(poll)),
        onSome: (claim) => Effect.onInterrupt(restore(execute(claim)), () => repo.handBack(claim))
      })
    )
  )
  yield* turn.pipe(
    Effect.catchAllDefect((defect) =>
      Effect.zipRight(Outages.report("A scheduled audit could not be claimed or recorded", defect), Effect.sleep(poll))
    ),
    Effect.forever,
    Effect.forkScoped
  )
})

/** What this node can audit with. */
const equipment = checkEquipment.pipe(
  Effect.as<ReadonlyArray<Auditing>>(["lighthouse", "psi"]),
  Effect.catchAll(({ message }) =>
    Effect.as(Effect.logInfo(`This node leaves scheduled Lighthouse audits to others. ${message}`), ["psi"] as const)
  )
)

/** The worker over given audits. */
export const layerNoDeps = Layer.scopedDiscard(
  Effect.flatMap(equipment, (sources) => Effect.forEach(sources, runner, { discard: true }))
)

/** Makes scheduled audits for as long as it lives. */
export const layer = layerNoDeps.pipe(
  Layer.provide([ExecuteAudit.Default, DueRepo.Default]),
  Layer.provide(BunContext.layer)
)
