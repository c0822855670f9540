import * as Effect from "effect/Effect"
import { Projects } from "../../../projects/Projects.ts"
import { schedulesOf } from "../../../projects/schedules/Schedules.ts"
import type { NewSchedule } from "./Schedule.ts"
import { SchedulesRepo } from "./SchedulesRepo.ts"

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
