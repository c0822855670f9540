import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../../foundation/http/ApiError.ts"
import {
  about,
  body,
  Created,
  change,
  described,
  IdempotencyHeaders,
  inPath,
  input,
  list,
  PageParameters,
  read,
  remove
} from "../../../foundation/http/Contract.ts"
import { field, Uuid } from "../../../foundation/schema/Scalars.ts"
import { Interval, intervalOf, minutesOf, Timestamp } from "../../../foundation/schema/Time.ts"
import { AuditsRead, AuditsWrite } from "../../accounts/Authorized.ts"
import { ofProject } from "../Api.ts"
import { Auditing, Device, PageAddress } from "../Domain.ts"

/** Identifier of a schedule. */
export const ScheduleId = Uuid.pipe(Schema.brand("AuditScheduleId"))
export type ScheduleId = typeof ScheduleId.Type

/** Maximum schedules per account over the API: each costs a browser's time, which accounts share. */
export const schedulesPerAccount = 20

const EveryMinutes = Schema.Int.pipe(
  Schema.between(15, 525_600, { message: () => "must be from 15 minutes to 365 days" })
)

/** The interval between two audits, `15m` to `365d`, in the largest possible unit: `360m` is `6h`. */
export const Every = Schema.transform(Schema.compose(Interval, EveryMinutes), Schema.String, {
  strict: true,
  decode: intervalOf,
  encode: minutesOf
})

/** One message for any value outside the alternatives. */
const instead = (sentence: string) => ({ message: () => ({ message: sentence, override: true }) })

const every = Every.annotations({
  description: "Interval between two audits, in minutes, hours or days: `15m` to `365d`",
  jsonSchema: { examples: ["6h"], pattern: "^\\d{1,6}[mhd]$" }
})

const source = Auditing.annotations({
  ...instead("must be lighthouse or psi"),
  description: "`lighthouse`: in the browser of this server. `psi`: PageSpeed Insights, with field data"
})

/** Recurring audits of a page; an account has one schedule per page and device. */
export const AuditSchedule = Schema.Struct({
  id: ScheduleId.annotations({ description: "UUID of the schedule" }),
  url: Schema.String.annotations({ description: "Page to audit" }),
  device: field(Device, "Device that the audit simulates"),
  source: field(Auditing, "Source of the audits"),
  next_at: field(Timestamp, "When the next audit is due"),
  created_at: field(Timestamp, "When it was created"),
  every: Schema.propertySignature(every)
}).annotations({ identifier: "AuditSchedule", description: "Recurring audits of a page" })
export type AuditSchedule = typeof AuditSchedule.Type

/** The fields of a new schedule. */
export type NewSchedule = Pick<AuditSchedule, "url" | "device" | "source" | "every">

/** Body of `POST /audit-schedules`. */
const CreateSchedule = Schema.Struct({
  url: field(PageAddress, "Page to audit: absolute, http or https, without credentials, at most 2,048 characters"),
  every: Schema.propertySignature(every),
  device: Schema.optionalWith(Device.annotations(instead("must be mobile or desktop")), {
    default: () => "mobile" as const,
    exact: true
  }).annotations({ description: "Device that the audit simulates" }),
  source: Schema.optionalWith(source, { default: () => "lighthouse" as const, exact: true })
}).annotations({ identifier: "NewAuditSchedule", description: "The page, and how often it is audited" })

/** Body of `PATCH /audit-schedules/{id}`. */
const ChangeSchedule = Schema.Struct({
  every: Schema.optionalWith(every, { exact: true }),
  source: Schema.optionalWith(source, { exact: true })
}).annotations({
  identifier: "AuditScheduleChange",
  description: "Fields to change; fields that you leave out stay the same"
})

const OfSchedule = Schema.Struct({ schedule_id: inPath(ScheduleId) })

/** Recurring audits. */
export class AuditSchedulesApi extends HttpApiGroup.make("audit-schedules")
  .annotateContext(about("Recurring audits of pages."))
  .add(
    list("list", "/audit-schedules", {
      summary: "List audit schedules",
      description: "Audit schedules of your account, oldest first (`created_at`, then `id`).",
      of: AuditSchedule,
      scope: AuditsRead
    })
      .setUrlParams(input(Schema.Struct({ ...PageParameters, project_id: ofProject })))
      .addError(failure("not_found"))
  )
  .add(
    HttpApiEndpoint.post("create", "/audit-schedules")
      .annotateContext(
        described(
          "Schedule audits of a page",
          `The first audit starts immediately. A page and device have one schedule: creating it again returns 200 with \`meta.existing\`, and 409 with another interval or source. An account has at most ${schedulesPerAccount}.`
        )
      )
      .setHeaders(IdempotencyHeaders)
      .setPayload(body(CreateSchedule))
      .addSuccess(Created(AuditSchedule), { status: 201 })
      .addSuccess(Created(AuditSchedule))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "idempotency_conflict"))
      .middleware(AuditsWrite)
  )
  .add(
    read("get", "/audit-schedules/:schedule_id", {
      summary: "Get an audit schedule",
      description: "Returns one audit schedule.",
      ids: OfSchedule,
      of: AuditSchedule,
      scope: AuditsRead
    })
  )
  .add(
    change("patch", "/audit-schedules/:schedule_id", {
      summary: "Update an audit schedule",
      description: "Changes the interval or the source. A shorter interval takes effect immediately.",
      ids: OfSchedule,
      of: AuditSchedule,
      payload: ChangeSchedule,
      scope: AuditsWrite
    })
  )
  .add(
    remove("remove", "/audit-schedules/:schedule_id", {
      summary: "Delete an audit schedule",
      description: "Deletes the schedule. Its audits stay; an audit in progress is not recorded.",
      ids: OfSchedule,
      scope: AuditsWrite
    })
  )
  .prefix("/api/v1") {}
