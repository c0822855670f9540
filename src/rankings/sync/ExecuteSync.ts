import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { type Held, SourcesRepo } from "./SourcesRepo.ts"
import { defaultDays, Sync } from "./Sync.ts"

/** Why a synchronisation failed, in a sentence; of a defect only that it was one, the log has the rest. */
const reason = <E extends { readonly message: string }>(cause: Cause.Cause<E>) =>
  Option.match(Cause.failureOption(cause), { onNone: () => "a fault of the server", onSome: ({ message }) => message })

/** A scheduled synchronisation in this node's hands. */
export class ExecuteSync extends Effect.Service<ExecuteSync>()("rankings/sync/ExecuteSync", {
  dependencies: [SourcesRepo.Default, Sync.Default],
  effect: Effect.gen(function* () {
    const sources = yield* SourcesRepo
    const sync = yield* Sync

    /** Ends when the lease is lost, for then another node has the source. */
    const whileHeld = (held: Held) =>
      sources
        .renew(held)
        .pipe(Effect.repeat({ schedule: Schedule.spaced("15 seconds"), while: Option.isSome }), Effect.asVoid)

    const work = (held: Held) =>
      sync
        .run(held.site, defaultDays, () => Effect.void)
        .pipe(
          Effect.sandbox,
          Effect.matchEffect({
            onFailure: (cause) =>
              Effect.zipRight(
                Effect.logWarning(`Project ${held.site} could not be synchronised`, cause),
                sources.fail({ ...held, error: reason(cause) })
              ),
            onSuccess: () => sources.succeed(held)
          })
        )

    /** Synchronises, and says in the source's row how that went. */
    const execute = Effect.fn("RankingSync.execute")((held: Held) => Effect.raceFirst(work(held), whileHeld(held)))

    return { execute }
  })
}) {}
