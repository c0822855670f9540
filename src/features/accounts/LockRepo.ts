import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Query from "../../foundation/database/Query.ts"
import { AccountId } from "./Domain.ts"

/** Lets one request of an account at a time through: who counts what an account has, before it gets one more, counts right. */
export class LockRepo extends Effect.Service<LockRepo>()("accounts/LockRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Waits for the account's turn; it ends with the transaction. */
    const lockAccount = Query.none({
      Request: AccountId,
      execute: (account) => sql`SELECT FROM accounts WHERE id = ${account} FOR NO KEY UPDATE`
    })

    return { lockAccount }
  })
}) {}
