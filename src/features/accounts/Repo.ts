import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Namespace from "../../foundation/database/Namespace.ts"
import * as Query from "../../foundation/database/Query.ts"
import { Account, AccountId, Plan } from "./Domain.ts"

export class AccountsRepo extends Effect.Service<AccountsRepo>()("accounts/AccountsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const insertAccount = Query.one({
      Request: Schema.Struct({ name: Schema.String, plan: Plan }),
      Result: Account,
      execute: (account) => sql`
        INSERT INTO accounts ${sql.insert(account)} RETURNING id, name, plan, iso(created_at) AS created_at`
    })

    const oldestNamed = Query.first({
      Request: Schema.String,
      Result: Account,
      execute: (name) => sql`
        SELECT id, name, plan, iso(created_at) AS created_at FROM accounts WHERE name = ${name}
        ORDER BY accounts.created_at, id LIMIT 1`
    })

    /** Lets one transaction at a time look for an account of that name, until it ends. */
    const lockName = Query.none({
      Request: Schema.String,
      execute: (name) => sql`SELECT pg_advisory_xact_lock(4846015, hashtext(${name}))`
    })

    const accounts = Query.all({
      Request: Schema.Void,
      Result: Account,
      execute: () => sql`
        SELECT id, name, plan, iso(created_at) AS created_at FROM accounts ORDER BY accounts.created_at, id`
    })

    return {
      insertAccount,
      lockName,
      oldestNamed,
      accounts: accounts(undefined),
      /** Lets one process at a time through, until the surrounding transaction ends. */
      lockFirstStart: Effect.orDie(sql`SELECT ${Namespace.lock(sql, sql`4846014::bigint`)}`),
      withTransaction: Query.transaction(sql)
    }
  })
}) {}

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
