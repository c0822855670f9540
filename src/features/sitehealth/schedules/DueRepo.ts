import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { dueSchedules } from "../../projects/schedules/DueTable.ts"
import { ScheduleId } from "./Schedule.ts"

/** A due schedule under lease. */
export const Claim = Schema.Struct({
  ...LeaseQueue.Held(ScheduleId).fields,
  account: AccountId,
  project: ProjectId,
  url: Schema.String,
  max_pages: Schema.NullOr(Schema.Int),
  check_dead_links: Schema.Boolean,
  check_external_links: Schema.Boolean
})
export type Claim = typeof Claim.Type

/** The site health schedules as a queue. */
export class DueRepo extends Effect.Service<DueRepo>()("sitehealth/schedules/DueRepo", {
  effect: dueSchedules({
    claim: Claim,
    name: "site health schedules",
    table: "site_health_schedules",
    terms: "url, max_pages, check_dead_links, check_external_links"
  })
}) {}
