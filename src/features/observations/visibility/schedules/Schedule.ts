import * as Schema from "effect/Schema"
import { Every } from "../../../../foundation/schema/Recurrence.ts"
import { Uuid } from "../../../../foundation/schema/Scalars.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { course } from "../../../projects/schedules/Schedule.ts"
import { Engine, RunId } from "../Domain.ts"
import { Repeats, SomeEngines, terms } from "../runs/Run.ts"

export const ScheduleId = Uuid.pipe(Schema.brand("GeoScheduleId"))
export type ScheduleId = typeof ScheduleId.Type

/** Recurring runs of AI visibility. */
export const GeoSchedule = Schema.Struct({
  id: ScheduleId.annotations({ description: "UUID of the schedule" }),
  project_id: ProjectId.annotations({ description: "UUID of the project whose prompts it asks" }),
  every: Every,
  engines: Schema.Array(Engine).annotations({ description: "Engines that its runs ask" }),
  repeats: Schema.Int.annotations({ description: "How often each engine is asked each prompt" }),
  ...course(
    Schema.NullOr(RunId).annotations({
      description: "UUID of the run that it started last; null before the first, and when that was removed"
    })
  )
}).annotations({ identifier: "GeoSchedule", description: "Recurring runs of AI visibility" })
export type GeoSchedule = typeof GeoSchedule.Type

/** The fields of a new schedule: an interval, and the terms of its runs. */
export const NewSchedule = Schema.Struct({ every: Every, ...terms }).annotations({
  identifier: "NewGeoSchedule",
  description: "The interval, and whom each run asks how often"
})
export type NewSchedule = typeof NewSchedule.Type

const optional = { exact: true } as const

/** Fields that are not sent stay as they are. */
export const PatchSchedule = Schema.Struct({
  every: Schema.optionalWith(Every, optional),
  engines: Schema.optionalWith(SomeEngines, optional).annotations({ description: "Engines to ask, each once" }),
  repeats: Schema.optionalWith(Repeats, optional).annotations({
    description: "How often each is asked each prompt, 1 to 10"
  })
}).annotations({ identifier: "PatchGeoSchedule", description: "The changes; absent fields stay as they are" })
export type PatchSchedule = typeof PatchSchedule.Type
