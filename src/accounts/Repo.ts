import * as SqlClient from "@effect/sql/SqlClient"
import * as SqlSchema from "@effect/sql/SqlSchema"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Account, AccountId, Key, KeyId, Plan } from "./Domain.ts"

const NewKey = Schema.Struct({
  account: AccountId,
  display: Schema.String,
  hash: Schema.Uint8ArrayFromSelf,
  mode: Schema.Literal("live", "test"),
  scopes: Schema.Array(Schema.String)
})

export class AccountsRepo extends Effect.Service<AccountsRepo>()("accounts/Repo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const keyColumns = sql.literal(
      `id, account_id, display, mode, scopes, iso(created_at) AS created_at, iso(last_used_at) AS last_used_at,
       iso(revoked_at) AS revoked_at`
    )

    const insertAccount = SqlSchema.single({
      Request: Schema.Struct({ name: Schema.String, plan: Plan }),
      Result: Account,
      execute: (account) => sql`
        INSERT INTO accounts ${sql.insert(account)} RETURNING id, name, plan, iso(created_at) AS created_at`
    })

    const accounts = SqlSchema.findAll({
      Request: Schema.Void,
      Result: Account,
      execute: () => sql`
        SELECT id, name, plan, iso(created_at) AS created_at FROM accounts ORDER BY accounts.created_at, id`
    })

    /** Of an account that does not exist no key comes back. */
    const insertKey = SqlSchema.findOne({
      Request: NewKey,
      Result: Key,
      execute: ({ account, display, hash, mode, scopes }) => sql`
        INSERT INTO api_keys (account_id, display, hash, mode, scopes)
        SELECT id, ${display}, ${hash}, ${mode}, ${scopes} FROM accounts WHERE id = ${account}
        RETURNING ${keyColumns}`
    })

    const keys = SqlSchema.findAll({
      Request: Schema.Struct({ account: Schema.NullOr(AccountId) }),
      Result: Key,
      execute: ({ account }) => sql`
        SELECT ${keyColumns} FROM api_keys WHERE account_id = coalesce(${account}::uuid, account_id)
        ORDER BY api_keys.created_at, id`
    })

    const revoke = SqlSchema.findOne({
      Request: Schema.Struct({ id: KeyId }),
      Result: Key,
      execute: ({ id }) => sql`
        UPDATE api_keys SET revoked_at = coalesce(revoked_at, clock_timestamp()) WHERE id = ${id} RETURNING ${keyColumns}`
    })

    return {
      insertAccount: (...args: Parameters<typeof insertAccount>) => Effect.orDie(insertAccount(...args)),
      accounts: Effect.orDie(accounts(undefined)),
      insertKey: (...args: Parameters<typeof insertKey>) => Effect.orDie(insertKey(...args)),
      keys: (...args: Parameters<typeof keys>) => Effect.orDie(keys(...args)),
      revoke: (...args: Parameters<typeof revoke>) => Effect.orDie(revoke(...args)),
      /** Lets one process at a time through, until the surrounding transaction ends. */
      lockFirstStart: Effect.orDie(sql`SELECT pg_advisory_xact_lock(4846014)`),
      withTransaction: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.catchTag(sql.withTransaction(effect), "SqlError", (error) => Effect.die(error))
    }
  })
}) {}
