import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import { about, described } from "../../../foundation/http/Contract.ts"
import { Created, IdempotencyHeaders } from "../../../foundation/http/IdempotencyKey.ts"
import { Page, PageParameters } from "../../../foundation/http/Pagination.ts"
import { body, Data, inPath, input } from "../../../foundation/http/RequestSchemas.ts"
import { SiteHealthRead, SiteHealthWrite } from "../../accounts/Authorized.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { schedulesAtMost } from "../Limits.ts"
import { NewSchedule, PatchSchedule, ScheduleId, SiteHealthSchedule } from "./Schedule.ts"

const all = "/projects/:project_id/site-health/schedules" as const
const one = "/projects/:project_id/site-health/schedules/:schedule_id" as const

const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const OfSchedule = Schema.Struct({ ...OfProject.fields, schedule_id: inPath(ScheduleId) })

/** Recurring site health runs. */
export class SiteHealthSchedulesApi extends HttpApiGroup.make("site-health-schedules")
  .annotateContext(about("Recurring site health runs. They count against the plan's quotas like any other run."))
  .add(
    HttpApiEndpoint.post("create", all)
      .annotateContext(
        described(
          "Schedule site health runs",
          `Starts a run at once and then after each interval. A slot for which the quotas leave no room is skipped: \`last_skipped\` says when and why. A project has at most ${schedulesAtMost.project} schedules and an account ${schedulesAtMost.account}: one more is 422.`
        )
      )
      .setPath(OfProject)
      .setHeaders(IdempotencyHeaders)
      .setPayload(body(NewSchedule))
      .addSuccess(Created(SiteHealthSchedule), { status: 201 })
      .addSuccess(Created(SiteHealthSchedule))
      .addError(failure("idempotency_conflict"))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(SiteHealthWrite)
  )
  .add(
    HttpApiEndpoint.get("list", all)
      .annotateContext(described("List the schedules of a project", "Oldest first (`created_at`, then `id`)."))
      .setPath(OfProject)
      .setUrlParams(input(Schema.Struct(PageParameters)))
      .addSuccess(Page(SiteHealthSchedule))
      .addError(failure("validation_error", "invalid_cursor"))
      .addError(failure("not_found"))
      .middleware(SiteHealthRead)
  )
  .add(
    HttpApiEndpoint.get("get", one)
      .annotateContext(
        described("Read a schedule", "One schedule, with its next slot and the last one that was skipped.")
      )
      .setPath(OfSchedule)
      .addSuccess(Data(SiteHealthSchedule))
      .addError(failure("not_found"))
      .middleware(SiteHealthRead)
  )
  .add(
    HttpApiEndpoint.patch("change", one)
      .annotateContext(
        described(
          "Change a schedule",
          "Fields that are not sent stay as they are; the next slot is due no later than one new interval from now."
        )
      )
      .setPath(OfSchedule)
      .setPayload(body(PatchSchedule))
      .addSuccess(Data(SiteHealthSchedule))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(SiteHealthWrite)
  )
  .add(
    HttpApiEndpoint.del("remove", one)
      .annotateContext(described("Delete a schedule", "Ends it; the runs that it started stay."))
      .setPath(OfSchedule)
      .addError(failure("not_found"))
      .middleware(SiteHealthWrite)
  )
  .prefix("/api/v1") {}
