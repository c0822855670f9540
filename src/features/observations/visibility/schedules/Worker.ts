import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { startingDue } from "../../../projects/schedules/Worker.ts"
import { Runs } from "../runs/Runs.ts"
import { type Claim, DueRepo } from "./DueRepo.ts"

/** A slot at which no run can start is skipped: one is in progress, or there are no prompts, key, price or budget. */
const starting = Effect.gen(function* () {
  const { queue, skipped, started } = yield* DueRepo
  const runs = yield* Runs

  const begin = (claim: Claim) =>
    Effect.matchEffect(runs.start(claim.account, claim.project, claim), {
      onFailure: (failure) =>
        skipped(claim, failure._tag === "Invalid" ? `An engine ${failure.details[0]?.message}` : failure.message),
      onSuccess: (run) => started(claim, run.id)
    })

  yield* startingDue({ begin, name: "geo schedule", queue, skipped })
})

/** Starts scheduled runs until its scope ends. */
export const layer = Layer.scopedDiscard(starting).pipe(Layer.provide([DueRepo.Default, Runs.Default]))
