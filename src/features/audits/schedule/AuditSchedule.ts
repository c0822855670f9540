import * as Schema from "effect/Schema"
import { field } from "../../../foundation/schema/Field.ts"
import { Interval } from "../../../foundation/schema/Interval.ts"
import { Uuid } from "../../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { Auditing, Device } from "../Domain.ts"

/** Identifier of a schedule. */
export const ScheduleId = Uuid.pipe(Schema.brand("AuditScheduleId"))
export type ScheduleId = typeof ScheduleId.Type

/** Schedules that an account may have over the API: each costs a browser's time, which accounts share. */
export const schedulesPerAccount = 20

/** Minutes between two audits of a schedule. */
export const EveryMinutes = Schema.Int.pipe(
  Schema.between(15, 525_600, { message: () => "must be from 15 minutes to 365 days" })
)

/** The same as people write it: `15m`, `6h`, `30d`. */
export const Every = Schema.compose(Interval, EveryMinutes)

/** Recurring audits of a page; an account has one schedule for a page and device. */
export const AuditSchedule = Schema.Struct({
  id: ScheduleId.annotations({ description: "UUID of the schedule" }),
  account_id: AccountId,
  url: Schema.String.annotations({ description: "Page that is audited" }),
  device: field(Device, "Form factor that it is audited as"),
  source: field(Auditing, "What runs the audits"),
  every_minutes: EveryMinutes,
  next_at: field(Timestamp, "When the next audit is due"),
  created_at: field(Timestamp, "When it was made")
})
export type AuditSchedule = typeof AuditSchedule.Type

/** The fields of a new schedule. */
export type NewSchedule = Pick<AuditSchedule, "url" | "device" | "source" | "every_minutes">
