import * as Schema from "effect/Schema"
import { field } from "../../../foundation/schema/Field.ts"
import { PageAddress } from "../CreateAudit.ts"
import { Auditing, Device } from "../Domain.ts"
import { AuditSchedule, Every } from "./AuditSchedule.ts"

/** One message for a value that is none of the alternatives. */
const instead = (sentence: string) => ({ message: () => ({ message: sentence, override: true }) })

const every = Every.annotations({
  description: "Interval between two audits, in minutes, hours or days: `15m` to `365d`",
  jsonSchema: { examples: ["6h"], pattern: "^\\d{1,6}[mhd]$" }
})

const source = Auditing.annotations({
  ...instead("must be lighthouse or psi"),
  description: "`lighthouse`: on this installation's browser. `psi`: by PageSpeed Insights, with field data"
})

/** A schedule as its account sees it. */
export const ScheduleResource = Schema.Struct({
  ...AuditSchedule.omit("account_id", "every_minutes").fields,
  every: Schema.propertySignature(every)
}).annotations({ identifier: "AuditSchedule", description: "Recurring audits of a page" })

/** Body of `POST /audit-schedules`. */
export const CreateSchedule = Schema.Struct({
  url: field(PageAddress, "Page to audit: absolute, http or https, without credentials, at most 2,048 characters"),
  every: Schema.propertySignature(every),
  device: Schema.optionalWith(Device.annotations(instead("must be mobile or desktop")), {
    default: () => "mobile" as const,
    exact: true
  }).annotations({ description: "Form factor that it is audited as" }),
  source: Schema.optionalWith(source, { default: () => "lighthouse" as const, exact: true })
}).annotations({ identifier: "NewAuditSchedule", description: "The page, and how often it is audited" })

/** Body of `PATCH /audit-schedules/{id}`. */
export const ChangeSchedule = Schema.Struct({
  every: Schema.optionalWith(every, { exact: true }),
  source: Schema.optionalWith(source, { exact: true })
}).annotations({ identifier: "AuditScheduleChange", description: "The changes; absent fields stay as they are" })

/** The resource of a schedule. */
export const resourceOf = ({ account_id: _, every_minutes, ...schedule }: AuditSchedule) => ({
  ...schedule,
  every: every_minutes
})
