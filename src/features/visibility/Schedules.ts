import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { LockRepo } from "../accounts/Accounts.ts"
import { Projects } from "../projects/Projects.ts"
import { dueRuns, ofProjects, schedulesOf, scheduleTable, startingDue } from "../projects/Schedules.ts"
import { Engine, GeoSchedule, type NewSchedule, ScheduleId } from "./Domain.ts"
import { Runs } from "./Runs.ts"

/** Engines and repetitions of each run. */
const Terms = Schema.Struct({ engines: Schema.Array(Engine), repeats: Schema.Int })

const table = { Id: ScheduleId, name: "visibility_schedules", owner: ofProjects, Schedule: GeoSchedule, Terms }

/** Reads and writes the schedules of AI visibility. */
export class SchedulesRepo extends Effect.Service<SchedulesRepo>()("visibility/SchedulesRepo", {
  dependencies: [LockRepo.Default],
  effect: scheduleTable(table)
}) {}

/** The schedules of AI visibility of an account's sites. */
export class Schedules extends Effect.Service<Schedules>()("visibility/Schedules", {
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

/** The schedules of AI visibility as a queue. */
export class DueRepo extends Effect.Service<DueRepo>()("visibility/DueRepo", {
  effect: dueRuns(table, "geo schedules")
}) {}

/** Starts due runs; skips a slot while a run is in progress, or without prompts, key, price or budget. */
const starting = Effect.gen(function* () {
  const { queue, skipped, started } = yield* DueRepo
  const runs = yield* Runs

  yield* startingDue({
    begin: (claim) =>
      Effect.matchEffect(runs.start(claim.account, claim.project, claim), {
        onFailure: (failure) =>
          skipped(claim, failure._tag === "Invalid" ? `An engine ${failure.details[0]?.message}` : failure.message),
        onSuccess: (run) => started(claim, run.id)
      }),
    name: "geo schedule",
    queue,
    skipped
  })
})

/** Starts scheduled runs until its scope ends. */
export const layer = Layer.scopedDiscard(starting).pipe(Layer.provide([DueRepo.Default, Runs.Default]))
