import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { every } from "../../../foundation/database/Outages.ts"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { Imports } from "../import/Imports.ts"
import { RetentionMonths, WindowDays } from "../Settings.ts"
import { RetentionRepo } from "./RetentionRepo.ts"

/** Removes search data beyond its retention. */
export class Retention extends Effect.Service<Retention>()("rankings/retention/Retention", {
  dependencies: [Imports.Default, RetentionRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const imports = yield* Imports
    const repo = yield* RetentionRepo
    const windows = 2 * (yield* WindowDays)

    const remove = Traced.fn("Retention.remove")(function* (month: string) {
      yield* repo.forgetDays({ month, windows })
      yield* repo.forgetSums({ month })
      yield* Effect.zipRight(repo.dropFacts({ month }), repo.forgetDays({ month, windows })).pipe(
        Query.transaction(sql)
      )
    })

    /**
     * Keeps `months` whole months beside the current one. The partitions go last: while there are any, a pass that broke off is repeated. What an
     * import brings of these months between the steps goes with the locks in hand.
     */
    const run = Effect.fnUntraced(function* (months: number) {
      const { month } = yield* repo.first(months)
      const { due } = yield* repo.isDue({ month })
      if (due) yield* remove(month)
      yield* Effect.forEach(yield* repo.outdated({ month, windows }), imports.renew, { discard: true })
      return { month, removed: due }
    })

    return { run }
  })
}) {}

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
