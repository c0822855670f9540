import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { LockRepo } from "../../accounts/Repo.ts"
import { Projects } from "../../projects/Projects.ts"
import { schedulesOf } from "../../projects/schedules/Schedules.ts"
import { scheduleTable } from "../../projects/schedules/ScheduleTable.ts"
import { startUrl } from "../Start.ts"
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

/** An interval, and what each run crawls; null pages: as many as the plan allows. */
interface Asked {
  readonly every: string
  readonly url?: string
  readonly max_pages?: number | null
  readonly check_dead_links: boolean
  readonly check_external_links?: boolean
}

/** The site health schedules of an account's projects. */
export class Schedules extends Effect.Service<Schedules>()("sitehealth/Schedules", {
  dependencies: [Projects.Default, SchedulesRepo.Default],
  effect: Effect.flatMap(SchedulesRepo, (table) =>
    schedulesOf({
      name: "SiteHealthSchedules",
      plural: "site health schedules",
      table,
      termsOf: (project, { check_dead_links, check_external_links = false, max_pages = null, url }: Asked) =>
        Effect.map(startUrl(project, url), (url) => ({ check_dead_links, check_external_links, max_pages, url }))
    })
  )
}) {}
