import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import { about, described } from "../../../foundation/http/Contract.ts"
import { Created, IdempotencyHeaders } from "../../../foundation/http/IdempotencyKey.ts"
import { Page, PageParameters } from "../../../foundation/http/Pagination.ts"
import { body, Data, inPath, input } from "../../../foundation/http/RequestSchemas.ts"
import { AuditsRead, AuditsWrite } from "../../accounts/Authorized.ts"
import { ScheduleId, schedulesPerAccount } from "./AuditSchedule.ts"
import { ChangeSchedule, CreateSchedule, ScheduleResource } from "./ScheduleResource.ts"

const OfSchedule = Schema.Struct({ schedule_id: inPath(ScheduleId) })

/** Audits that recur. */
export class AuditSchedulesApi extends HttpApiGroup.make("audit-schedules")
  .annotateContext(about("Recurring audits of pages."))
  .add(
    HttpApiEndpoint.get("list", "/audit-schedules")
      .annotateContext(
        described("List audit schedules", "The caller's schedules, the oldest first (`created_at`, then `id`).")
      )
      .setUrlParams(input(Schema.Struct(PageParameters)))
      .addSuccess(Page(ScheduleResource))
      .addError(failure("validation_error", "invalid_cursor"))
      .middleware(AuditsRead)
  )
  .add(
    HttpApiEndpoint.post("create", "/audit-schedules")
      .annotateContext(
        described(
          "Schedule audits of a page",
          `The first audit is due at once. A page and device have one schedule: the same again is answered with 200 and \`meta.existing\`, another interval or source with 409. An account has at most ${schedulesPerAccount}.`
        )
      )
      .setHeaders(IdempotencyHeaders)
      .setPayload(body(CreateSchedule))
      .addSuccess(Created(ScheduleResource), { status: 201 })
      .addSuccess(Created(ScheduleResource))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "idempotency_conflict"))
      .middleware(AuditsWrite)
  )
  .add(
    HttpApiEndpoint.get("get", "/audit-schedules/:schedule_id")
      .annotateContext(described("Read an audit schedule", "One schedule of the caller."))
      .setPath(OfSchedule)
      .addSuccess(Data(ScheduleResource))
      .addError(failure("not_found"))
      .middleware(AuditsRead)
  )
  .add(
    HttpApiEndpoint.patch("patch", "/audit-schedules/:schedule_id")
      .annotateContext(
        described(
          "Change an audit schedule",
          "Changes the interval or the source; a shorter interval takes effect at once."
        )
      )
      .setPath(OfSchedule)
      .setPayload(body(ChangeSchedule))
      .addSuccess(Data(ScheduleResource))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(AuditsWrite)
  )
  .add(
    HttpApiEndpoint.del("remove", "/audit-schedules/:schedule_id")
      .annotateContext(
        described("Delete an audit schedule", "Ends the schedule. Its audits stay; one under way is not recorded.")
      )
      .setPath(OfSchedule)
      .addError(failure("not_found"))
      .middleware(AuditsWrite)
  )
  .prefix("/api/v1") {}
