import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Lease from "../../../../foundation/database/Lease.ts"
import { attemptsAtMost } from "../../../../foundation/database/Slots.ts"
import { Runs } from "../runs/Runs.ts"
import { type Claim, DueRepo } from "./DueRepo.ts"

/** Why a slot is skipped without a start; usually none. */
type SkipReason = Option.Option<string>

const skip = (reason: string) => (): SkipReason => Option.some(reason)

/** Starts the runs that are due, as their account would. A slot at which none can start is skipped: one is in progress, or there are no prompts, key, price or budget. */
const starting = Effect.gen(function* () {
  const { queue, skipped, started } = yield* DueRepo
  const runs = yield* Runs

  const begin = (claim: Claim) =>
    Effect.matchEffect(runs.start(claim.account, claim.project, claim), {
      onFailure: (failure) =>
        skipped(claim, failure._tag === "Invalid" ? `An engine ${failure.details[0]?.message}` : failure.message),
      onSuccess: (run) => started(claim, run.id)
    })

  yield* Lease.worker({
    broken: skip("The server failed to start a run; see its log"),
    lost: skip(`The worker of this schedule stopped ${attemptsAtMost} times in a row`),
    name: "geo schedule",
    outcome: Option.match({ onNone: () => "completed", onSome: () => "skipped" }),
    queue,
    // The run and the next slot are one transaction: a slot starts one run even if the worker dies in between.
    store: (claim, reason: SkipReason) =>
      Option.match(reason, { onNone: () => begin(claim), onSome: (reason) => skipped(claim, reason) }),
    work: () => Effect.succeedNone
  })
})

/** Starts scheduled runs until its scope ends. */
export const layer = Layer.scopedDiscard(starting).pipe(Layer.provide([DueRepo.Default, Runs.Default]))
