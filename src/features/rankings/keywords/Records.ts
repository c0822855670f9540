import * as Effect from "effect/Effect"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { type DayRange, daysOf } from "../Days.ts"
import type { RankingId } from "../Domain.ts"
import { RecordsRepo } from "./RecordsRepo.ts"

const missing = () => NotFound.of("keyword")

/** Single records of an account, and their days. */
export class Records extends Effect.Service<Records>()("rankings/keywords/Records", {
  dependencies: [RecordsRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* RecordsRepo

    const pairOf = (account: AccountId, id: RankingId) =>
      Effect.mapError(Effect.flatten(repo.find({ account, key: id.slice("kw_".length) })), missing)

    const get = Traced.fn("Records.get")(function* (account: AccountId, id: RankingId) {
      const pair = yield* pairOf(account, id)
      return yield* Effect.mapError(Effect.flatten(repo.record(pair)), missing)
    })

    const series = Traced.fn("Records.series")(function* (account: AccountId, id: RankingId, range: DayRange) {
      const pair = yield* pairOf(account, id)
      const days = yield* daysOf(range, pair.newest_day)
      return days === null ? [] : yield* repo.series({ ...days, ...pair })
    })

    return { get, series }
  })
}) {}
