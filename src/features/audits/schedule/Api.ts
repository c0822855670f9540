import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import { about, described } from "../../../foundation/http/Contract.ts"
import { change, list, read, remove } from "../../../foundation/http/Endpoints.ts"
import { Created, IdempotencyHeaders } from "../../../foundation/http/IdempotencyKey.ts"
import { body, inPath } from "../../../foundation/http/RequestSchemas.ts"
import { AuditsRead, AuditsWrite } from "../../accounts/Authorized.ts"
import { ScheduleId, schedulesPerAccount } from "./AuditSchedule.ts"
import { ChangeSchedule, CreateSchedule, ScheduleResource } from "./ScheduleResource.ts"

const OfSchedule = Schema.Struct({ schedule_id: inPath(ScheduleId) })

/** Audits that recur. */
export class AuditSchedulesApi extends HttpApiGroup.make("audit-schedules")
  .annotateContext(about("Recurring audits of pages."))
  .add(
    list("list", "/audit-schedules", {
      summary: "List audit schedules",
      description: "The caller's schedules, the oldest first (`created_at`, then `id`).",
      of: ScheduleResource,
      scope: AuditsRead
    })
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
    read("get", "/audit-schedules/:schedule_id", {
      summary: "Read an audit schedule",
      description: "One schedule of the caller.",
      ids: OfSchedule,
      of: ScheduleResource,
      scope: AuditsRead
    })
  )
  .add(
    change("patch", "/audit-schedules/:schedule_id", {
      summary: "Change an audit schedule",
      description: "Changes the interval or the source; a shorter interval takes effect at once.",
      ids: OfSchedule,
      of: ScheduleResource,
      payload: ChangeSchedule,
      scope: AuditsWrite
    })
  )
  .add(
    remove("remove", "/audit-schedules/:schedule_id", {
      summary: "Delete an audit schedule",
      description: "Ends the schedule. Its audits stay; one under way is not recorded.",
      ids: OfSchedule,
      scope: AuditsWrite
    })
  )
  .prefix("/api/v1") {}
