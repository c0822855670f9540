import * as Schema from "effect/Schema"
import { Every } from "../../../foundation/schema/Recurrence.ts"
import { Uuid } from "../../../foundation/schema/Scalars.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { course } from "../../projects/schedules/Schedule.ts"
import { RunId, StartRun } from "../Domain.ts"

export const ScheduleId = Uuid.pipe(Schema.brand("SiteHealthScheduleId"))
export type ScheduleId = typeof ScheduleId.Type

/** Recurring runs of a project. */
export const SiteHealthSchedule = Schema.Struct({
  id: ScheduleId.annotations({ description: "UUID of the schedule" }),
  project_id: ProjectId.annotations({ description: "UUID of the project that it crawls" }),
  every: Every,
  url: Schema.String.annotations({ description: "Where its runs start" }),
  max_pages: Schema.NullOr(Schema.Int).annotations({ description: "Pages at most; null: as many as the plan allows" }),
  check_dead_links: Schema.Boolean.annotations({ description: "Whether dead links are confirmed by a second request" }),
  check_external_links: Schema.Boolean.annotations({ description: "Whether links to other sites are checked" }),
  ...course(
    Schema.NullOr(RunId).annotations({ description: "UUID of the run that it started last; null before the first" })
  )
}).annotations({ identifier: "SiteHealthSchedule", description: "Recurring runs of a project" })
export type SiteHealthSchedule = typeof SiteHealthSchedule.Type

/** The fields of a new schedule: an interval, and the request of its runs. */
export const NewSchedule = Schema.Struct({ every: Every, ...StartRun.fields }).annotations({
  identifier: "NewSiteHealthSchedule",
  description: "The interval, and what each run crawls"
})
export type NewSchedule = typeof NewSchedule.Type

const optional = { exact: true } as const

/** Fields that are not sent stay as they are. */
export const PatchSchedule = Schema.Struct({
  every: Schema.optionalWith(Every, optional),
  url: StartRun.fields.url,
  max_pages: StartRun.fields.max_pages,
  check_dead_links: Schema.optionalWith(Schema.Boolean, optional).annotations({
    description: "Whether 4xx and 5xx answers are confirmed by a second request"
  }),
  check_external_links: Schema.optionalWith(Schema.Boolean, optional).annotations({
    description: "Whether pages of other sites that links lead to are requested"
  })
}).annotations({ identifier: "PatchSiteHealthSchedule", description: "The changes; absent fields stay as they are" })
export type PatchSchedule = typeof PatchSchedule.Type
