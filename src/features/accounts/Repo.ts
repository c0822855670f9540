import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { Account, AccountId, Key, KeyId, OwnKey, Plan, projectsAtMost } from "./Domain.ts"

const NewKey = Schema.Struct({
  account: AccountId,
  display: Schema.String,
  hash: Schema.Uint8ArrayFromSelf,
  mode: Schema.Literal("live", "test"),
  scopes: Schema.Array(Schema.String)
})

export class AccountsRepo extends Effect.Service<AccountsRepo>()("accounts/AccountsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const keyColumns = sql.literal(
      `id, account_id, display, mode, scopes, iso(created_at) AS created_at, iso(last_used_at) AS last_used_at,
       iso(revoked_at) AS revoked_at`
    )

    const insertAccount = Query.one({
      Request: Schema.Struct({ name: Schema.String, plan: Plan }),
      Result: Account,
      execute: (account) => sql`
        INSERT INTO accounts ${sql.insert(account)} RETURNING id, name, plan, iso(created_at) AS created_at`
    })

    const accounts = Query.all({
      Request: Schema.Void,
      Result: Account,
      execute: () => sql`
        SELECT id, name, plan, iso(created_at) AS created_at FROM accounts ORDER BY accounts.created_at, id`
    })

    /** No row comes back when the account does not exist. */
    const insertKey = Query.first({
      Request: NewKey,
      Result: Key,
      execute: ({ account, display, hash, mode, scopes }) => sql`
        INSERT INTO api_keys (account_id, display, hash, mode, scopes)
        SELECT id, ${display}, ${hash}, ${mode}, ${scopes} FROM accounts WHERE id = ${account}
        RETURNING ${keyColumns}`
    })

    const keys = Query.all({
      Request: Schema.Struct({ account: Schema.NullOr(AccountId) }),
      Result: Key,
      execute: ({ account }) => sql`
        SELECT ${keyColumns} FROM api_keys WHERE account_id = coalesce(${account}::uuid, account_id)
        ORDER BY api_keys.created_at, id`
    })

    const own = Query.one({
      Request: Schema.Struct({ id: KeyId }),
      Result: OwnKey,
      execute: ({ id }) => sql`
        SELECT k.id, display, mode, scopes, plan, iso(k.created_at) AS created_at, iso(last_used_at) AS last_used_at,
          json_build_object('requests_per_minute', requests_per_minute, 'requests_per_second', requests_per_second,
            'runs_per_hour', runs_per_hour, 'runs_at_once', runs_at_once, 'pages_per_run', pages_per_run,
            'projects', (${JSON.stringify(projectsAtMost)}::json ->> plan)::int) AS limits
        FROM api_keys k JOIN accounts a ON a.id = k.account_id JOIN plans p ON p.id = a.plan WHERE k.id = ${id}`
    })

    const revoke = Query.first({
      Request: Schema.Struct({ id: KeyId }),
      Result: Key,
      execute: ({ id }) => sql`
        UPDATE api_keys SET revoked_at = coalesce(revoked_at, clock_timestamp()) WHERE id = ${id} RETURNING ${keyColumns}`
    })

    return {
      insertAccount,
      accounts: accounts(undefined),
      insertKey,
      keys,
      own,
      revoke,
      /** Lets one process at a time through, until the surrounding transaction ends. */
      lockFirstStart: Effect.orDie(sql`SELECT pg_advisory_xact_lock(4846014)`),
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
