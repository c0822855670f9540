import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { every } from "../../../foundation/database/Outages.ts"
import { before, type Position } from "./Position.ts"
import { RetentionRepo } from "./RetentionRepo.ts"
import { RetentionDays } from "./Settings.ts"

/** Removes events after `FINDABLE_WEBHOOK_RETENTION_DAYS`. */
export class Retention extends Effect.Service<Retention>()("webhooks/deliveries/Retention", {
  dependencies: [RetentionRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* RetentionRepo
    const days = yield* RetentionDays

    const some = (after: Position) =>
      Effect.gen(function* () {
        const old = yield* repo.old({ after, days })
        const { removed } = yield* repo.remove({ days, ids: old.map(({ id }) => id) })
        return [removed, Array.last(old)] as const
      }).pipe(repo.transaction)

    /**
     * Removes events of that age whose deliveries all ended that long ago, with those deliveries. Works in batches, each in a transaction of its own;
     * nodes that run it at once share the work. Answers how many it removed.
     */
    const purge = Stream.runSum(Stream.paginateEffect(before("-infinity"), some))

    return { purge }
  })
}) {}

/** Purges every ten minutes. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Retention, ({ purge }) => every("10 minutes", "Old events could not be removed")(purge))
).pipe(Layer.provide(Retention.Default))
