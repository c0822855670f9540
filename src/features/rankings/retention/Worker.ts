import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { every } from "../../../foundation/database/Outages.ts"
import { Retention } from "./Retention.ts"
import { RetentionMonths } from "./Settings.ts"

const removing = Effect.gen(function* () {
  const { run } = yield* Retention
  const months = Option.getOrUndefined(yield* RetentionMonths)
  if (months === undefined) return
  yield* run(months).pipe(
    Effect.tap(({ month, removed }) =>
      removed ? Effect.logInfo(`Search data of the months before ${month} was removed`) : Effect.void
    ),
    every("10 minutes", "Old search data could not be removed")
  )
})

/** Removes months that are older than FINDABLE_RANKING_RETENTION_MONTHS says, for as long as it lives. */
export const layer = Layer.scopedDiscard(removing).pipe(Layer.provide(Retention.Default))
