import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Lease from "../../../foundation/database/Lease.ts"
import { attemptsAtMost } from "../../../foundation/database/Slots.ts"
import { Start } from "../Start.ts"
import { type Claim, DueRepo } from "./DueRepo.ts"

/** Why a slot is skipped without a start; usually none. */
type SkipReason = Option.Option<string>

const skip = (reason: string) => (): SkipReason => Option.some(reason)

/** Starts the runs that are due, as their account would: quotas count, and an identical run in progress is joined. A slot over quota is skipped. */
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

  yield* Lease.worker({
    broken: skip("The server failed to start a run; see its log"),
    lost: skip(`The worker of this schedule stopped ${attemptsAtMost} times in a row`),
    name: "site health schedule",
    outcome: Option.match({ onNone: () => "completed", onSome: () => "skipped" }),
    queue,
    // The run, its notification and the next slot are one transaction: a slot starts one run even if the worker dies in between.
    store: (claim, reason: SkipReason) =>
      Option.match(reason, { onNone: () => begin(claim), onSome: (reason) => skipped(claim, reason) }),
    work: () => Effect.succeedNone
  })
})

/** Starts scheduled runs until its scope ends. */
export const layer = Layer.scopedDiscard(starting).pipe(Layer.provide([DueRepo.Default, Start.Default]))
