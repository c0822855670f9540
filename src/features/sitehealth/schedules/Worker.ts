import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { dueSchedules } from "../../projects/schedules/DueTable.ts"
import { startingDue } from "../../projects/schedules/Worker.ts"
import { Start } from "../Start.ts"
import { ScheduleId } from "./Schedule.ts"

/** A due schedule under lease. */
const Claim = Schema.Struct({
  ...LeaseQueue.Held(ScheduleId).fields,
  account: AccountId,
  project: ProjectId,
  url: Schema.String,
  max_pages: Schema.NullOr(Schema.Int),
  check_dead_links: Schema.Boolean,
  check_external_links: Schema.Boolean
})
type Claim = typeof Claim.Type

/** The site health schedules as a queue. */
export class DueRepo extends Effect.Service<DueRepo>()("sitehealth/schedules/DueRepo", {
  effect: dueSchedules({
    claim: Claim,
    name: "site health schedules",
    table: "site_health_schedules",
    terms: "url, max_pages, check_dead_links, check_external_links"
  })
}) {}

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
