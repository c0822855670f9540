import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { every } from "../../../foundation/database/Every.ts"
import { before, type Position } from "./Position.ts"
import { RetentionRepo } from "./RetentionRepo.ts"
import { RetentionDays } from "./Settings.ts"

/** Keeps events for as long as the operator wants, and no longer. */
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
     * Removes the events of that age of which every delivery has ended, and that long ago, with all that is known of them; some at a time, each in
     * a transaction of its own. Nodes that do it at once share the work. Answers how many it were.
     */
    const purge = Stream.runSum(Stream.paginateEffect(before("-infinity"), some))

    return { purge }
  })
}) {}

/** Removes what is too old, for as long as it lives. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Retention, ({ purge }) => every("10 minutes", "Old events could not be removed")(purge))
).pipe(Layer.provide(Retention.Default))
