import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Render } from "../../../crawl/report/Rendering.ts"
import { failure } from "../../../foundation/http/ApiError.ts"
import { about, change, create, inPath, list, read, remove } from "../../../foundation/http/Contract.ts"
import { field, Uuid } from "../../../foundation/schema/Scalars.ts"
import { Every } from "../../../foundation/schema/Time.ts"
import { SiteHealthRead, SiteHealthWrite } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { course, schedulesAtMost } from "../../projects/Schedule.ts"
import { RunId, StartRun } from "../Domain.ts"

export const ScheduleId = Uuid.pipe(Schema.brand("SiteHealthScheduleId"))
export type ScheduleId = typeof ScheduleId.Type

/** Recurring crawls of a site. */
export const SiteHealthSchedule = Schema.Struct({
  id: ScheduleId.annotations({ description: "UUID of the schedule" }),
  project_id: ProjectId.annotations({ description: "UUID of the site" }),
  every: Every,
  url: Schema.String.annotations({ description: "Where its crawls start" }),
  max_pages: Schema.NullOr(Schema.Int).annotations({
    description: "Maximum number of pages; null: the limit of the plan"
  }),
  check_dead_links: Schema.Boolean.annotations({
    description: "Whether broken links are confirmed by a second request"
  }),
  check_external_links: Schema.Boolean.annotations({ description: "Whether external links are checked" }),
  render: field(Render, "Which pages a browser renders"),
  ...course(Schema.NullOr(RunId).annotations({ description: "UUID of its latest crawl; null before the first" }))
}).annotations({ identifier: "SiteHealthSchedule", description: "Recurring crawls of a site" })
export type SiteHealthSchedule = typeof SiteHealthSchedule.Type

/** The fields of a new schedule: an interval, and the request of its runs. */
export const NewSchedule = Schema.Struct({ every: Every, ...StartRun.fields }).annotations({
  identifier: "NewSiteHealthSchedule",
  description: "The interval, and what to crawl"
})
export type NewSchedule = typeof NewSchedule.Type

const optional = { exact: true } as const

/** Absent fields stay. */
const PatchSchedule = Schema.Struct({
  every: Schema.optionalWith(Every, optional),
  url: StartRun.fields.url,
  max_pages: StartRun.fields.max_pages,
  check_dead_links: Schema.optionalWith(Schema.Boolean, optional).annotations({
    description: "Whether to check for broken links, confirmed by a second request"
  }),
  check_external_links: Schema.optionalWith(Schema.Boolean, optional).annotations({
    description: "Whether to check external links"
  }),
  render: StartRun.fields.render
}).annotations({ identifier: "PatchSiteHealthSchedule", description: "The changes; absent fields stay as they are" })

const all = "/projects/:project_id/site-health/schedules" as const
const one = "/projects/:project_id/site-health/schedules/:schedule_id" as const

const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const OfSchedule = Schema.Struct({ ...OfProject.fields, schedule_id: inPath(ScheduleId) })

/** Recurring crawls. */
export class SiteHealthSchedulesApi extends HttpApiGroup.make("site-health-schedules")
  .annotateContext(about("Recurring crawls. They count toward the quotas of your plan like any other crawl."))
  .add(
    create("create", all, {
      summary: "Schedule crawls",
      description: `Starts a crawl immediately and then after each interval. If the quotas are used up, the slot is skipped: \`last_skipped\` says when and why. A site has at most ${schedulesAtMost.project} schedules and an account ${schedulesAtMost.account}; one more returns 422.`,
      of: SiteHealthSchedule,
      payload: NewSchedule,
      scope: SiteHealthWrite
    }).setPath(OfProject)
  )
  .add(
    list("list", all, {
      summary: "List the schedules of a site",
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
      description: "One schedule, with its next slot and the last skipped one.",
      ids: OfSchedule,
      of: SiteHealthSchedule,
      scope: SiteHealthRead
    })
  )
  .add(
    change("change", one, {
      summary: "Change a schedule",
      description:
        "Fields that you do not send stay as they are. The next slot is due at most one new interval from now.",
      ids: OfSchedule,
      of: SiteHealthSchedule,
      payload: PatchSchedule,
      scope: SiteHealthWrite
    })
  )
  .add(
    remove("remove", one, {
      summary: "Delete a schedule",
      description: "Ends the schedule. The crawls that it started stay.",
      ids: OfSchedule,
      scope: SiteHealthWrite
    })
  )
  .prefix("/api/v1") {}
