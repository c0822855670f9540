import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import { about, change, create, inPath, list, read, remove } from "../../../foundation/http/Contract.ts"
import { Uuid } from "../../../foundation/schema/Scalars.ts"
import { Every } from "../../../foundation/schema/Time.ts"
import { SiteHealthRead, SiteHealthWrite } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { course, schedulesAtMost } from "../../projects/Schedule.ts"
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
const PatchSchedule = Schema.Struct({
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

const all = "/projects/:project_id/site-health/schedules" as const
const one = "/projects/:project_id/site-health/schedules/:schedule_id" as const

const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const OfSchedule = Schema.Struct({ ...OfProject.fields, schedule_id: inPath(ScheduleId) })

/** Recurring site health runs. */
export class SiteHealthSchedulesApi extends HttpApiGroup.make("site-health-schedules")
  .annotateContext(about("Recurring site health runs. They count against the plan's quotas like any other run."))
  .add(
    create("create", all, {
      summary: "Schedule site health runs",
      description: `Starts a run at once and then after each interval. A slot for which the quotas leave no room is skipped: \`last_skipped\` says when and why. A project has at most ${schedulesAtMost.project} schedules and an account ${schedulesAtMost.account}: one more is 422.`,
      of: SiteHealthSchedule,
      payload: NewSchedule,
      scope: SiteHealthWrite
    }).setPath(OfProject)
  )
  .add(
    list("list", all, {
      summary: "List the schedules of a project",
      description: "Oldest first (`created_at`, then `id`).",
      of: SiteHealthSchedule,
      scope: SiteHealthRead
    })
      .setPath(OfProject)
      .addError(failure("not_found"))
  )
  .add(
    read("get", one, {
      summary: "Read a schedule",
      description: "One schedule, with its next slot and the last one that was skipped.",
      ids: OfSchedule,
      of: SiteHealthSchedule,
      scope: SiteHealthRead
    })
  )
  .add(
    change("change", one, {
      summary: "Change a schedule",
      description:
        "Fields that are not sent stay as they are; the next slot is due no later than one new interval from now.",
      ids: OfSchedule,
      of: SiteHealthSchedule,
      payload: PatchSchedule,
      scope: SiteHealthWrite
    })
  )
  .add(
    remove("remove", one, {
      summary: "Delete a schedule",
      description: "Ends it; the runs that it started stay.",
      ids: OfSchedule,
      scope: SiteHealthWrite
    })
  )
  .prefix("/api/v1") {}
