import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../../foundation/http/ApiError.ts"
import { about } from "../../../../foundation/http/Contract.ts"
import { change, create, list, read, remove } from "../../../../foundation/http/Endpoints.ts"
import { inPath } from "../../../../foundation/http/RequestSchemas.ts"
import { GeoRead, GeoWrite } from "../../../accounts/Authorized.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { schedulesAtMost } from "../../../projects/schedules/Schedule.ts"
import { GeoSchedule, NewSchedule, PatchSchedule, ScheduleId } from "./Schedule.ts"

const all = "/projects/:project_id/geo/schedules" as const
const one = "/projects/:project_id/geo/schedules/:schedule_id" as const

const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const OfSchedule = Schema.Struct({ ...OfProject.fields, schedule_id: inPath(ScheduleId) })

/** Recurring runs of AI visibility. */
export class GeoSchedulesApi extends HttpApiGroup.make("geo-schedules")
  .annotateContext(about("Recurring runs of AI visibility. They spend the budget of the day like any other run."))
  .add(
    create("create", all, {
      summary: "Schedule runs of AI visibility",
      description: `Starts a run at once and then after each interval. A slot at which none can start is skipped: a run is in progress, or there are no prompts, no key, no price or no budget; \`last_skipped\` says when and why. A project has at most ${schedulesAtMost.project} schedules and an account ${schedulesAtMost.account}: one more is 422.`,
      of: GeoSchedule,
      payload: NewSchedule,
      scope: GeoWrite
    }).setPath(OfProject)
  )
  .add(
    list("list", all, {
      summary: "List the schedules of a project",
      description: "Oldest first (`created_at`, then `id`).",
      of: GeoSchedule,
      scope: GeoRead
    })
      .setPath(OfProject)
      .addError(failure("not_found"))
  )
  .add(
    read("get", one, {
      summary: "Read a schedule",
      description: "One schedule, with its next slot and the last one that was skipped.",
      ids: OfSchedule,
      of: GeoSchedule,
      scope: GeoRead
    })
  )
  .add(
    change("change", one, {
      summary: "Change a schedule",
      description:
        "Fields that are not sent stay as they are; the next slot is due no later than one new interval from now.",
      ids: OfSchedule,
      of: GeoSchedule,
      payload: PatchSchedule,
      scope: GeoWrite
    })
  )
  .add(
    remove("remove", one, {
      summary: "Delete a schedule",
      description: "Ends it; the runs that it started stay.",
      ids: OfSchedule,
      scope: GeoWrite
    })
  )
  .prefix("/api/v1") {}
