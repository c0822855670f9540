import * as Effect from "effect/Effect"
import type { AccountId } from "../../accounts/Domain.ts"
import { NotFound } from "../../schema/DomainError.ts"
import type { NewSchedule, ScheduleId } from "./AuditSchedule.ts"
import { SchedulesRepo } from "./SchedulesRepo.ts"

/** Audits that recur, as the operator arranges them. */
export class Schedules extends Effect.Service<Schedules>()("audits/schedule/Schedules", {
  dependencies: [SchedulesRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* SchedulesRepo

    /** Schedules a page: the first audit is due at once. Scheduled again, the page keeps its slots and gets the new interval and source. */
    const add = Effect.fn("Schedules.add")(function* (account: AccountId, { url, ...schedule }: NewSchedule) {
      return yield* Effect.mapError(
        Effect.flatten(repo.put({ account_id: account, url: new URL(url).href, ...schedule })),
        () => NotFound.of("account")
      )
    })

    /** Ends a schedule; the audits that it made stay, and one under way is not recorded. */
    const remove = Effect.fn("Schedules.remove")(function* (id: ScheduleId) {
      return yield* Effect.mapError(Effect.flatten(repo.remove(id)), () => NotFound.of("schedule"))
    })

    return { add, list: repo.list, remove }
  })
}) {}
