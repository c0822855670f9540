import * as Effect from "effect/Effect"
import * as Slots from "../../../../foundation/database/Slots.ts"
import { NotFound } from "../../../../foundation/schema/DomainError.ts"
import { minutesOf } from "../../../../foundation/schema/Recurrence.ts"
import * as Traced from "../../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../../accounts/Domain.ts"
import type { Batch } from "../../../accounts/Handlers.ts"
import { Owned } from "../../../accounts/Owned.ts"
import type { ProjectId } from "../../../projects/Domain.ts"
import { Projects } from "../../../projects/Projects.ts"
import { type NewSchedule, type PatchSchedule, type ScheduleId, schedulesAtMost } from "./Schedule.ts"
import { SchedulesRepo } from "./SchedulesRepo.ts"

const tooMany = (owner: keyof typeof schedulesAtMost) =>
  Slots.tooMany(owner, schedulesAtMost[owner], "schedules of AI visibility")

/** The schedules of an account's projects. */
export class Schedules extends Effect.Service<Schedules>()("visibility/schedules/Schedules", {
  dependencies: [Projects.Default, SchedulesRepo.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const repo = yield* SchedulesRepo
    const mine = Owned.by(repo.find, "schedule")

    /** The schedule of the project that the path names. */
    const own = Effect.fnUntraced(function* (account: AccountId, project: ProjectId, id: ScheduleId) {
      const schedule = yield* mine(account, id)
      return schedule.value.project_id === project ? schedule : yield* NotFound.of("schedule")
    })

    /** A new schedule, whose first run is due at once. The account's row is locked, so that concurrent requests cannot pass the limits. */
    const create = Traced.fn("GeoSchedules.create")(function* (
      account: AccountId,
      id: ProjectId,
      schedule: NewSchedule
    ) {
      yield* repo.lockAccount(account)
      const project = yield* projects.own(account, id)
      const has = yield* repo.count(project)
      if (has.project >= schedulesAtMost.project) return yield* tooMany("project")
      if (has.account >= schedulesAtMost.account) return yield* tooMany("account")
      return yield* repo.insert({ ...schedule, every_minutes: minutesOf(schedule.every), project })
    }, repo.transaction)

    const list = Traced.fn("GeoSchedules.list")(function* (account: AccountId, project: ProjectId, batch: Batch) {
      return yield* repo.list({ ...batch, project: yield* projects.own(account, project) })
    })

    const get = (account: AccountId, project: ProjectId, id: ScheduleId) =>
      Effect.map(own(account, project, id), ({ value }) => value)

    const change = Traced.fn("GeoSchedules.change")(function* (
      account: AccountId,
      project: ProjectId,
      id: ScheduleId,
      patch: PatchSchedule
    ) {
      const schedule = yield* own(account, project, id)
      const { engines, every, repeats } = { ...schedule.value, ...patch }
      return yield* repo.change({ engines, every, every_minutes: minutesOf(every), repeats, schedule })
    })

    /** Its runs stay. */
    const remove = Traced.fn("GeoSchedules.remove")(function* (account: AccountId, project: ProjectId, id: ScheduleId) {
      yield* repo.remove(yield* own(account, project, id))
    })

    return { change, create, get, list, remove }
  })
}) {}
