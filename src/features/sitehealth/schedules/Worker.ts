import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { startingDue } from "../../projects/schedules/Worker.ts"
import { Start } from "../Start.ts"
import { type Claim, DueRepo } from "./DueRepo.ts"

/** Quotas count, and an identical run in progress is joined. A slot over quota is skipped. */
const starting = Effect.gen(function* () {
  const { queue, skipped, started } = yield* DueRepo
  const { start } = yield* Start

  const begin = (claim: Claim) => {
    const pages = claim.max_pages === null ? {} : { max_pages: claim.max_pages }
    const { check_dead_links, check_external_links, url } = claim
    const request = { check_dead_links, check_external_links, url, ...pages }
    return Effect.matchEffect(start(claim.account, claim.project, request, undefined), {
      onFailure: ({ message }) => skipped(claim, message),
      onSuccess: ({ run }) => started(claim, run.id)
    })
  }

  yield* startingDue({ begin, name: "site health schedule", queue, skipped })
})

/** Starts scheduled runs until its scope ends. */
export const layer = Layer.scopedDiscard(starting).pipe(Layer.provide([DueRepo.Default, Start.Default]))
