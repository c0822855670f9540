import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { LockRepo } from "../../../accounts/Repo.ts"
import { scheduleTable } from "../../../projects/schedules/ScheduleTable.ts"
import { Engine } from "../Domain.ts"
import { GeoSchedule, ScheduleId } from "./Schedule.ts"

/** Whom each run asks, and how often. */
const Terms = Schema.Struct({ engines: Schema.Array(Engine), repeats: Schema.Int })

/** Reading and writing the schedules of AI visibility. */
export class SchedulesRepo extends Effect.Service<SchedulesRepo>()("visibility/schedules/SchedulesRepo", {
  dependencies: [LockRepo.Default],
  effect: scheduleTable({ Id: ScheduleId, name: "geo_schedules", Schedule: GeoSchedule, Terms })
}) {}
