import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { Outages } from "../database/Outages.ts"
import { RemovalRepo } from "./RemovalRepo.ts"

/** Takes away what is left of deleted projects, batch by batch, for as long as it lives. Several nodes do not get in each other's way, and what one began another ends. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { pending, remove } = yield* RemovalRepo
    yield* Effect.flatMap(pending, (projects) =>
      Effect.forEach(projects, ({ id }) => Effect.repeat(remove(id), { while: ({ more }) => more }), { discard: true })
    ).pipe(
      Effect.catchAllCause((cause) => Outages.report("Deleted projects could not be removed", cause)),
      Effect.repeat(Schedule.spaced("5 seconds")),
      Effect.forkScoped
    )
  })
).pipe(Layer.provide(RemovalRepo.Default))
