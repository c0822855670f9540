import * as Effect from "effect/Effect"
import * as Slots from "../../../foundation/database/Slots.ts"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import { minutesOf } from "../../../foundation/schema/Recurrence.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import { Owned } from "../../accounts/Owned.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import { schedulesAtMost } from "../Limits.ts"
import { startUrl } from "../Start.ts"
import type { NewSchedule, PatchSchedule, ScheduleId } from "./Schedule.ts"
import { SchedulesRepo } from "./SchedulesRepo.ts"

const tooMany = (owner: keyof typeof schedulesAtMost) =>
  Slots.tooMany(owner, schedulesAtMost[owner], "site health schedules")

/** The site health schedules of a project. */
export class Schedules extends Effect.Service<Schedules>()("sitehealth/Schedules", {
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

    /** Schedules runs without a limit; the first run is due at once. */
    const add = Traced.fn("SiteHealthSchedules.add")(function* (
      account: AccountId,
      id: ProjectId,
      { check_dead_links, check_external_links = false, every, max_pages, url }: NewSchedule
    ) {
      const project = yield* projects.get(account, id)
      return yield* repo.insert({
        account_id: account,
        check_dead_links,
        check_external_links,
        every,
        every_minutes: minutesOf(every),
        max_pages: max_pages ?? null,
        project_id: id,
        url: yield* startUrl(project, url)
      })
    })

    /** The same within the limits. The account's row is locked, so that concurrent requests cannot pass them. */
    const create = Traced.fn("SiteHealthSchedules.create")(function* (
      account: AccountId,
      id: ProjectId,
      schedule: NewSchedule
    ) {
      yield* repo.lockAccount(account)
      const has = yield* repo.count(yield* projects.own(account, id))
      if (has.project >= schedulesAtMost.project) return yield* tooMany("project")
      if (has.account >= schedulesAtMost.account) return yield* tooMany("account")
      return yield* add(account, id, schedule)
    }, repo.transaction)

    const list = Traced.fn("SiteHealthSchedules.list")(function* (
      account: AccountId,
      project: ProjectId,
      batch: Batch
    ) {
      return yield* repo.list({ ...batch, project: yield* projects.own(account, project) })
    })

    const get = (account: AccountId, project: ProjectId, id: ScheduleId) =>
      Effect.map(own(account, project, id), ({ value }) => value)

    const change = Traced.fn("SiteHealthSchedules.change")(function* (
      account: AccountId,
      id: ProjectId,
      scheduleId: ScheduleId,
      patch: PatchSchedule
    ) {
      const schedule = yield* own(account, id, scheduleId)
      const { check_dead_links, check_external_links, every, max_pages, url } = { ...schedule.value, ...patch }
      const project = yield* projects.get(account, id)
      return yield* repo.change({
        check_dead_links,
        check_external_links,
        every,
        every_minutes: minutesOf(every),
        max_pages,
        schedule,
        url: yield* startUrl(project, url)
      })
    })

    /** Its runs stay. */
    const remove = Traced.fn("SiteHealthSchedules.remove")(function* (
      account: AccountId,
      project: ProjectId,
      id: ScheduleId
    ) {
      yield* repo.remove(yield* own(account, project, id))
    })

    return { add, change, create, get, list, remove }
  })
}) {}
