import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Lease from "../../../foundation/database/Lease.ts"
import { every } from "../../../foundation/database/Outages.ts"
import { attemptsAtMost } from "../../../foundation/database/Slots.ts"
import * as InstallationKey from "../../../foundation/secrets/InstallationKey.ts"
import { Generations } from "../generation/Generations.ts"
import * as SearchAnalyticsApi from "../searchconsole/SearchAnalyticsApi.ts"
import { DueRepo } from "./DueRepo.ts"
import { defaultDays, Sync } from "./Sync.ts"

/** Why a synchronisation failed, in a sentence; nothing when it went well. */
type End = Option.Option<string>

const failed = (reason: string) => (): End => Option.some(reason)

/** Synchronises the connected sites that are due. They become so hours apart, so looking each second is soon enough. */
const synchronising = Effect.gen(function* () {
  const { fail, queue, succeed } = yield* DueRepo
  const sync = yield* Sync
  yield* Lease.worker({
    broken: failed("a fault of the server"),
    lost: failed(`The worker of this synchronisation stopped, ${attemptsAtMost} times in a row`),
    name: "synchronisation",
    outcome: Option.match({ onNone: () => "completed", onSome: () => "failed" }),
    queue,
    store: (claim, end: End) =>
      Effect.asVoid(Option.match(end, { onNone: () => succeed(claim), onSome: (error) => fail(claim, error) })),
    work: ({ id }) =>
      sync
        .run(id, defaultDays, () => Effect.void)
        .pipe(
          Effect.as<End>(Option.none()),
          Effect.tapError((error) => Effect.logWarning("The site could not be synchronised", error)),
          Effect.catchAll(({ message }) => Effect.succeedSome(message))
        )
  })
})

/** Removes rankings that no cursor can refer to any more. */
const cleaner = Effect.flatMap(Generations, ({ purge }) =>
  every("10 minutes", "Old rankings could not be removed")(purge)
)

/** The worker over a given Search Console and cipher. */
export const layerNoDeps = Layer.scopedDiscard(Effect.zipRight(cleaner, synchronising)).pipe(
  Layer.provide([DueRepo.Default, Generations.Default, Sync.Default])
)

/** Synchronises connected sites when they are due, each by one node, for as long as it lives. */
export const layer = layerNoDeps.pipe(Layer.provide([InstallationKey.layer, SearchAnalyticsApi.layer]))
