import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Scalars.ts"
import { SkippedSlot, Timestamp } from "../../foundation/schema/Time.ts"

/** The most schedules of one kind that a project and an account may create over the API. Schedules beyond the limit stay. */
export const schedulesAtMost = { account: 100, project: 20 } as const

/** The fields about past and next runs of a schedule; `run` is the schema of its last run's id, and describes when it is null. */
export const course = <Run extends Schema.Schema.Any>(run: Run) => ({
  next_at: field(Timestamp, "When the schedule is next due"),
  last_run_id: run,
  last_skipped: Schema.NullOr(SkippedSlot).annotations({
    description: "The last time that the schedule was due and could not start; null when that never happened"
  }),
  created_at: field(Timestamp, "When it was created")
})
