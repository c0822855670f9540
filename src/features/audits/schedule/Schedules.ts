import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Slots from "../../../foundation/database/Slots.ts"
import { Conflict, NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import { Owned } from "../../accounts/Owned.ts"
import { type AuditSchedule, type NewSchedule, type ScheduleId, schedulesPerAccount } from "./AuditSchedule.ts"
import { SchedulesRepo } from "./SchedulesRepo.ts"

/** Changes to a schedule; undefined leaves a field as it is. */
interface ScheduleChange {
  readonly every_minutes: AuditSchedule["every_minutes"] | undefined
  readonly source: AuditSchedule["source"] | undefined
}

const noAccount = NotFound.of("account")

const taken = new Conflict({ message: "The page already has a schedule for this device: change that one" })

const tooMany = Slots.tooMany("account", schedulesPerAccount, "audit schedules")

/** The audit schedules of accounts. */
export class Schedules extends Effect.Service<Schedules>()("audits/schedule/Schedules", {
  dependencies: [SchedulesRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* SchedulesRepo

    /** Schedules a page: the first audit is due at once. Scheduled again, the page keeps its slots and gets the new interval and source. */
    const add = Traced.fn("Schedules.add")(function* (account: AccountId, { url, ...schedule }: NewSchedule) {
      return yield* Effect.mapError(
        Effect.flatten(repo.put({ account_id: account, url: new URL(url).href, ...schedule })),
        () => noAccount
      )
    })

    const own = Owned.by(repo.find, "schedule")

    /** The account's schedule; the same error when it is missing or another account's. */
    const get = (account: AccountId, id: ScheduleId) => Effect.map(own(account, id), ({ value }) => value)

    const page = (account: AccountId, batch: Batch) => repo.page({ account, ...batch })

    /**
     * Schedules a page for its account. An identical schedule is returned, a different one is a conflict. The account's row is locked, so that
     * concurrent requests cannot pass the limit.
     */
    const create = Traced.fn("Schedules.create")(function* (account: AccountId, { url, ...schedule }: NewSchedule) {
      const address = new URL(url).href
      const { schedules } = yield* Effect.mapError(Effect.flatten(repo.lock(account)), () => noAccount)
      const known = yield* repo.ofPage({ account, device: schedule.device, url: address })
      if (Option.isSome(known)) {
        const { every_minutes, source } = known.value
        if (every_minutes !== schedule.every_minutes || source !== schedule.source) return yield* taken
        return { existing: true, schedule: known.value }
      }
      if (schedules >= schedulesPerAccount) return yield* tooMany
      return { existing: false, schedule: yield* add(account, { url: address, ...schedule }) }
    }, repo.transaction)

    const change = Traced.fn("Schedules.change")(function* (account: AccountId, id: ScheduleId, to: ScheduleChange) {
      return yield* Effect.mapError(Effect.flatten(repo.change({ account, id, ...to })), () => NotFound.of("schedule"))
    })

    /** Ends a schedule; the audits that it made stay, and one under way is not recorded. */
    const remove = Traced.fn("Schedules.remove")(function* (id: ScheduleId) {
      return yield* Effect.mapError(Effect.flatten(repo.remove(id)), () => NotFound.of("schedule"))
    })

    /** Ends a schedule of the account, as `remove` does. */
    const end = Traced.fn("Schedules.end")(function* (account: AccountId, id: ScheduleId) {
      yield* remove((yield* own(account, id)).id)
    })

    return { add, change, create, end, get, list: repo.list, page, remove }
  })
}) {}
