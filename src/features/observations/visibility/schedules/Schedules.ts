import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { LockRepo } from "../../../accounts/Repo.ts"
import { Projects } from "../../../projects/Projects.ts"
import { schedulesOf } from "../../../projects/schedules/Schedules.ts"
import { scheduleTable } from "../../../projects/schedules/ScheduleTable.ts"
import { Engine } from "../Domain.ts"
import { GeoSchedule, type NewSchedule, ScheduleId } from "./Schedule.ts"

/** Whom each run asks, and how often. */
const Terms = Schema.Struct({ engines: Schema.Array(Engine), repeats: Schema.Int })

/** Reading and writing the schedules of AI visibility. */
export class SchedulesRepo extends Effect.Service<SchedulesRepo>()("visibility/schedules/SchedulesRepo", {
  dependencies: [LockRepo.Default],
  effect: scheduleTable({ Id: ScheduleId, name: "geo_schedules", Schedule: GeoSchedule, Terms })
}) {}

/** The schedules of AI visibility of an account's projects. */
export class Schedules extends Effect.Service<Schedules>()("visibility/schedules/Schedules", {
  dependencies: [Projects.Default, SchedulesRepo.Default],
  effect: Effect.flatMap(SchedulesRepo, (table) =>
    schedulesOf({
      name: "GeoSchedules",
      plural: "schedules of AI visibility",
      table,
      termsOf: (_, { engines, repeats }: NewSchedule) => Effect.succeed({ engines, repeats })
    })
  )
}) {}
