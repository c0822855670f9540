import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { Outages } from "../../database/Outages.ts"
import { Generations } from "../generation/Generations.ts"
import { ExecuteSync } from "./ExecuteSync.ts"
import * as Layers from "./Layers.ts"
import { SourcesRepo } from "./SourcesRepo.ts"

/** Sources become due hours apart: looking each second costs next to nothing, and no notification is needed. */
const poll = "1 second"

/** Claims due sources one after the other; a graceful stop hands the one at hand back. */
const runner = Effect.gen(function* () {
  const sources = yield* SourcesRepo
  const { execute } = yield* ExecuteSync
  const turn = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      sources.claim,
      Option.match({
        onNone: () => restore(Effect.sleep(poll)),
        onSome: (held) => Effect.onInterrupt(restore(execute(held)), () => sources.handBack(held))
      })
    )
  )
  yield* turn.pipe(
    Effect.catchAllDefect((defect) =>
      Effect.zipRight(Outages.report("A synchronisation could not be claimed or recorded", defect), Effect.sleep(poll))
    ),
    Effect.forever,
    Effect.forkScoped
  )
})

/** Takes away rankings that no cursor can want any more. */
const cleaner = Effect.flatMap(Generations, ({ purge }) =>
  purge.pipe(
    Effect.catchAllCause((cause) => Outages.report("Old rankings could not be removed", cause)),
    Effect.repeat(Schedule.spaced("10 minutes")),
    Effect.forkScoped
  )
)

/** The worker over a given Search Console and cipher. */
export const layerNoDeps = Layer.scopedDiscard(Effect.zipRight(cleaner, runner)).pipe(
  Layer.provide([ExecuteSync.Default, Generations.Default, SourcesRepo.Default])
)

/** Synchronises connected sites when they are due, each by one node, for as long as it lives. */
export const layer = layerNoDeps.pipe(Layer.provide([Layers.cipher, Layers.searchConsole]))
