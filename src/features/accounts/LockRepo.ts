import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Query from "../../foundation/database/Query.ts"
import { AccountId } from "./Domain.ts"

/** Serialises the requests of an account that count what it has before they add to it. */
export class LockRepo extends Effect.Service<LockRepo>()("accounts/LockRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Waits for the lock of the account's row, which ends with the transaction. */
    const lockAccount = Query.none({
      Request: AccountId,
      execute: (account) => sql`SELECT FROM accounts WHERE id = ${account} FOR NO KEY UPDATE`
    })

    return { lockAccount }
  })
}) {}
