import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { every } from "../../foundation/database/Every.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { RemovalRepo } from "./RemovalRepo.ts"

/** Removes what is left of deleted projects, batch by batch, for as long as it lives. Several nodes may do so at once, and one finishes what another began. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { pending, remove } = yield* RemovalRepo
    const removed = Traced.spanned("Removal.remove")
    yield* Effect.flatMap(pending, (projects) =>
      Effect.forEach(projects, ({ id }) => removed(Effect.repeat(remove(id), { while: ({ more }) => more })), {
        discard: true
      })
    ).pipe(every("5 seconds", "Deleted projects could not be removed"))
  })
).pipe(Layer.provide(RemovalRepo.Default))
