import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { LockRepo } from "../../accounts/Repo.ts"
import { scheduleTable } from "../../projects/schedules/ScheduleTable.ts"
import { ScheduleId, SiteHealthSchedule } from "./Schedule.ts"

/** What each run crawls, as it is stored. */
const Terms = Schema.Struct({
  url: Schema.String,
  max_pages: Schema.NullOr(Schema.Int),
  check_dead_links: Schema.Boolean,
  check_external_links: Schema.Boolean
})

/** Reading and writing the site health schedules. */
export class SchedulesRepo extends Effect.Service<SchedulesRepo>()("sitehealth/SchedulesRepo", {
  dependencies: [LockRepo.Default],
  effect: scheduleTable({ Id: ScheduleId, name: "site_health_schedules", Schedule: SiteHealthSchedule, Terms })
}) {}
