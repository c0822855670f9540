import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import { about } from "../../../foundation/http/Contract.ts"
import { change, create, list, read, remove } from "../../../foundation/http/Endpoints.ts"
import { inPath } from "../../../foundation/http/RequestSchemas.ts"
import { SiteHealthRead, SiteHealthWrite } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { schedulesAtMost } from "../../projects/schedules/Schedule.ts"
import { NewSchedule, PatchSchedule, ScheduleId, SiteHealthSchedule } from "./Schedule.ts"

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
