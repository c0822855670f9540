import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { AccountId, Key, KeyId, ManagedKey, OwnKey, projectsAtMost } from "./Domain.ts"

/** A key to store: its hash, and how it is shown. */
const StoredKey = Schema.Struct({
  account: AccountId,
  display: Schema.String,
  expires: Schema.NullOr(Schema.String),
  hash: Schema.Uint8ArrayFromSelf,
  mode: Schema.Literal("live", "test"),
  name: Schema.NullOr(Schema.String),
  scopes: Schema.Array(Schema.String)
})

const OfAccount = Schema.Struct({ account: AccountId, id: KeyId })

export class KeysRepo extends Effect.Service<KeysRepo>()("accounts/KeysRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const own = `id, name, display, mode, scopes, iso(k.created_at) AS created_at, iso(expires_at) AS expires_at,
      iso(last_used_at) AS last_used_at`
    const managed = sql.literal(own)
    const columns = sql.literal(`account_id, iso(revoked_at) AS revoked_at, ${own}`)

    /** No row comes back when the account does not exist. */
    const insert = Query.first({
      Request: StoredKey,
      Result: Key,
      execute: ({ account, display, expires, hash, mode, name, scopes }) => sql`
        INSERT INTO api_keys AS k (account_id, name, display, hash, mode, scopes, expires_at)
        SELECT id, ${name}, ${display}, ${hash}, ${mode}, ${scopes}, ${expires}::timestamptz FROM accounts WHERE id = ${account}
        RETURNING ${columns}`
    })

    const all = Query.all({
      Request: Schema.Struct({ account: Schema.NullOr(AccountId) }),
      Result: Key,
      execute: ({ account }) => sql`
        SELECT ${columns} FROM api_keys k WHERE account_id = coalesce(${account}::uuid, account_id) ORDER BY k.created_at, id`
    })

    const ofHolder = Query.one({
      Request: Schema.Struct({ id: KeyId }),
      Result: OwnKey,
      execute: ({ id }) => sql`
        SELECT k.*, json_build_object('id', a.id, 'name', a.name) AS account, plan,
          json_build_object('requests_per_minute', requests_per_minute, 'requests_per_second', requests_per_second,
            'runs_per_hour', runs_per_hour, 'runs_at_once', runs_at_once, 'pages_per_run', pages_per_run,
            'looks_per_day', looks_per_day,
            'projects', (${JSON.stringify(projectsAtMost)}::json ->> plan)::int) AS limits
        FROM (SELECT account_id, ${managed} FROM api_keys k WHERE id = ${id}) AS k
          JOIN accounts a ON a.id = k.account_id JOIN plans p ON p.id = a.plan`
    })

    const revoke = Query.first({
      Request: Schema.Struct({ id: KeyId }),
      Result: Key,
      execute: ({ id }) => sql`
        UPDATE api_keys k SET revoked_at = coalesce(revoked_at, clock_timestamp()) WHERE id = ${id} RETURNING ${columns}`
    })

    const page = Query.oldestFirst(sql, {
      Request: Schema.Struct({ account: AccountId }),
      Result: ManagedKey,
      table: "k",
      rows: ({ account }) => sql`SELECT ${managed} FROM api_keys k WHERE account_id = ${account} AND revoked_at IS NULL`
    })

    const find = Query.first({
      Request: OfAccount,
      Result: ManagedKey,
      execute: ({ account, id }) =>
        sql`SELECT ${managed} FROM api_keys k WHERE id = ${id} AND account_id = ${account} AND revoked_at IS NULL`
    })

    /** The same, locked until the transaction ends; `hasExpired` by the database's clock. */
    const hold = Query.first({
      Request: OfAccount,
      Result: Schema.Struct({ ...ManagedKey.fields, hasExpired: Schema.Boolean }),
      execute: ({ account, id }) => sql`
        SELECT ${managed}, coalesce(expires_at <= clock_timestamp(), false) AS "hasExpired" FROM api_keys k
        WHERE id = ${id} AND account_id = ${account} AND revoked_at IS NULL FOR NO KEY UPDATE`
    })

    const change = Query.one({
      Request: Schema.Struct({
        expires: Schema.UndefinedOr(Schema.NullOr(Schema.String)),
        id: KeyId,
        name: Schema.UndefinedOr(Schema.String),
        scopes: Schema.UndefinedOr(Schema.Array(Schema.String))
      }),
      Result: ManagedKey,
      execute: ({ expires, id, name, scopes }) => sql`
        UPDATE api_keys k SET name = coalesce(${name ?? null}, name), scopes = coalesce(${scopes ?? null}::text[], scopes),
          expires_at = ${expires === undefined ? sql`expires_at` : sql`${expires}::timestamptz`}
        WHERE id = ${id} RETURNING ${managed}`
    })

    /** Ends a key after `seconds`, or earlier where it ends by itself. */
    const expire = Query.none({
      Request: Schema.Struct({ id: KeyId, seconds: Schema.Number }),
      execute: ({ id, seconds }) => sql`
        UPDATE api_keys SET expires_at = least(expires_at, clock_timestamp() + ${seconds} * interval '1 second') WHERE id = ${id}`
    })

    return { all, change, expire, find, hold, insert, ofHolder, page, revoke, transaction: Query.transaction(sql) }
  })
}) {}
