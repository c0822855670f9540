import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Scalars.ts"
import { SkippedSlot, Timestamp } from "../../foundation/schema/Time.ts"

/** Schedules of one kind that a project and an account may make over the API; those that are there beyond it stay. */
export const schedulesAtMost = { account: 100, project: 20 } as const

/** The fields that say what a schedule has done and will do; `run` is the id of a run, and says when there is none. */
export const course = <Run extends Schema.Schema.Any>(run: Run) => ({
  next_at: field(Timestamp, "When the schedule is next due"),
  last_run_id: run,
  last_skipped: Schema.NullOr(SkippedSlot).annotations({
    description: "The last time that the schedule was due and could not start; null when that never happened"
  }),
  created_at: field(Timestamp, "When it was created")
})
