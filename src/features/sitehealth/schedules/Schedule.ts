import * as Schema from "effect/Schema"
import { Interval } from "../../../foundation/schema/Interval.ts"
import { Uuid } from "../../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { RunId, StartRun } from "../Domain.ts"

export const ScheduleId = Uuid.pipe(Schema.brand("SiteHealthScheduleId"))
export type ScheduleId = typeof ScheduleId.Type

const decode = Schema.decodeUnknownOption(Interval)

/** The minutes of an interval such as `6h`. */
export const minutesOf = (every: string): number => {
  const read = decode(every)
  return read._tag === "Some" ? read.value : 0
}

/** The interval between two runs, as text: `6h` to `30d`. */
const Every = Schema.String.pipe(
  Schema.filter((every) => minutesOf(every) >= 360 && minutesOf(every) <= 43_200, {
    message: () => "must be from 6h to 30d, such as 6h or 1d"
  }),
  Schema.annotations({
    description: "interval between two runs, from 6h to 30d",
    jsonSchema: { examples: ["6h", "1d"], pattern: "^\\d{1,6}[mhd]$", type: "string" }
  })
)

/** Recurring runs of a project. */
export const SiteHealthSchedule = Schema.Struct({
  id: ScheduleId,
  project_id: ProjectId,
  every: Every,
  url: Schema.String,
  max_pages: Schema.NullOr(Schema.Int).annotations({ description: "null: as many as the plan allows" }),
  check_dead_links: Schema.Boolean,
  check_external_links: Schema.Boolean,
  next_at: Timestamp,
  last_run_id: Schema.NullOr(RunId),
  last_skipped: Schema.NullOr(Schema.Struct({ at: Timestamp, reason: Schema.String })).annotations({
    description: "the last slot for which no run was started, and why"
  }),
  created_at: Timestamp
}).annotations({ identifier: "SiteHealthSchedule" })
export type SiteHealthSchedule = typeof SiteHealthSchedule.Type

/** The fields of a new schedule: an interval, and the request of its runs. */
export const NewSchedule = Schema.Struct({ every: Every, ...StartRun.fields }).annotations({
  identifier: "NewSiteHealthSchedule"
})
export type NewSchedule = typeof NewSchedule.Type

const optional = { exact: true } as const

/** Fields that are not sent stay as they are. */
export const PatchSchedule = Schema.Struct({
  every: Schema.optionalWith(Every, optional),
  url: StartRun.fields.url,
  max_pages: StartRun.fields.max_pages,
  check_dead_links: Schema.optionalWith(Schema.Boolean, optional),
  check_external_links: Schema.optionalWith(Schema.Boolean, optional)
}).annotations({ identifier: "PatchSiteHealthSchedule" })
export type PatchSchedule = typeof PatchSchedule.Type
