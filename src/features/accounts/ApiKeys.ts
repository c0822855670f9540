import type * as Headers from "@effect/platform/Headers"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { sha256 } from "../../foundation/http/Digest.ts"
import { Entropy } from "../../foundation/secrets/Entropy.ts"
import { AccountId, Key, KeyId, keysPerMinute, ManagedKey, OwnKey, Plan, projectsAtMost } from "./Domain.ts"

/** Live keys are for production, test keys for everything else; both work alike. */
export type Mode = "live" | "test"

const keyPattern = /^fnd_(?:live|test)_[A-Za-z0-9_-]{32}$/

/** Whether the text has the form of a key. Other text is refused without a look-up. */
const isWellFormed = (key: string): boolean => keyPattern.test(key)

/** A new key: the prefix of its mode and 24 random bytes in base64url. */
export const generate = (mode: Mode) =>
  Effect.gen(function* () {
    const entropy = yield* Entropy
    return `fnd_${mode}_${Encoding.encodeBase64Url(yield* entropy.bytes(24))}`
  })

/** SHA-256 of a key, the only stored form. 192 random bits need no slower hash. */
export const hash = (key: string): Buffer => sha256(key)

/** The display of a stored key: its prefix and last four characters. */
export const display = (key: string): string => `${key.slice(0, 9)}…${key.slice(-4)}`

/** The credentials of a request. */
type Credentials =
  | { readonly _tag: "None" }
  | { readonly _tag: "Unusable"; readonly reason: string }
  | { readonly _tag: "Key"; readonly key: string }

const bearer = /^bearer +(\S+) *$/i

/**
 * Reads the key from `Authorization: Bearer` or `X-API-Key`. A request with another scheme has no key (RFC 6750 §3.1 treats it as a request without
 * credentials). Two different keys are refused as ambiguous.
 */
export const credentials = (headers: Headers.Headers): Credentials => {
  const fromBearer = bearer.exec(headers.authorization ?? "")?.[1]
  const fromHeader = headers["x-api-key"]?.trim() || undefined
  const key = fromBearer ?? fromHeader
  if (key === undefined) return { _tag: "None" }
  if (fromBearer !== undefined && fromHeader !== undefined && fromBearer !== fromHeader) {
    return { _tag: "Unusable", reason: "Authorization and X-API-Key have different API keys. Send one key" }
  }
  return isWellFormed(key)
    ? { _tag: "Key", key }
    : { _tag: "Unusable", reason: "Invalid API key: keys start with fnd_live_ or fnd_test_" }
}

/** The creator of a key: an administrator's command, the link to a session of the console, or another key. */
const Origin = Schema.Literal("operator", "session", "api")
export type Origin = typeof Origin.Type

/** A key to store: its hash and its display. */
const StoredKey = Schema.Struct({
  account: AccountId,
  display: Schema.String,
  expires: Schema.NullOr(Schema.String),
  hash: Schema.Uint8ArrayFromSelf,
  mode: Schema.Literal("live", "test"),
  name: Schema.NullOr(Schema.String),
  origin: Origin,
  scopes: Schema.Array(Schema.String)
})

const OfAccount = Schema.Struct({ account: AccountId, id: KeyId })

export class KeysRepo extends Effect.Service<KeysRepo>()("accounts/KeysRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const own = `k.id, k.name, display, mode, scopes, iso(k.created_at) AS created_at, iso(expires_at) AS expires_at,
      (SELECT iso(passes[cardinality(passes)]) FROM api_key_passes WHERE key_id = k.id) AS last_used_at`
    const managed = sql.literal(own)
    const columns = sql.literal(`account_id, iso(revoked_at) AS revoked_at, ${own}`)

    /** Returns no row when the account does not exist. */
    const insert = Query.first({
      Request: StoredKey,
      Result: Key,
      execute: ({ account, display, expires, hash, mode, name, origin, scopes }) => sql`
        INSERT INTO api_keys AS k (account_id, name, display, hash, mode, scopes, expires_at, origin)
        SELECT id, ${name}, ${display}, ${hash}, ${mode}, ${scopes}, ${expires}::timestamptz, ${origin} FROM accounts WHERE id = ${account}
        RETURNING ${columns}`
    })

    const all = Query.all({
      Request: Schema.Struct({ account: Schema.NullOr(AccountId) }),
      Result: Key,
      execute: ({ account }) => sql`
        SELECT ${columns} FROM api_keys k WHERE account_id = coalesce(${account}::uuid, account_id) ORDER BY k.created_at, id`
    })

    const isUsable = sql.literal("revoked_at IS NULL AND coalesce(expires_at > clock_timestamp(), true)")

    /** The usable keys of an account `a`, without session keys. */
    const usableKeys = sql`
      (SELECT count(*)::int FROM api_keys WHERE account_id = a.id AND origin <> 'session' AND ${isUsable})`

    /** More sites than any plan has are not counted: with a limit, the estimated cost does not grow with the table. */
    const projectsCounted = sql.literal(String(2 * projectsAtMost.agency_team))

    const mostProjects = sql`(${JSON.stringify(projectsAtMost)}::json ->> plan)::int`

    /** A limit of the plan with its use, as JSON; without `resets`, the use does not fall by itself. */
    const used = (limit: Fragment, use: Fragment, resets = sql`NULL::timestamptz`) =>
      sql`json_build_object('limit', ${limit}, 'used', ${use}, 'resets_at', iso(${resets}))`

    const ofHolder = Query.one({
      Request: Schema.Struct({ id: KeyId }),
      Result: OwnKey.omit("grants"),
      execute: ({ id }) => sql`
        SELECT ${managed}, json_build_object('id', a.id, 'name', a.name) AS account, plan,
          json_build_object('requests_per_minute', requests_per_minute, 'requests_per_second', requests_per_second,
            'runs_per_hour', runs_per_hour, 'runs_at_once', runs_at_once, 'pages_per_run', pages_per_run,
            'keys', keys, 'looks_per_day', looks_per_day, 'projects', ${mostProjects}) AS limits,
          json_build_object(
            'requests_per_minute', ${used(sql`requests_per_minute`, sql`requests.used`, sql`requests.oldest + interval '60 seconds'`)},
            'runs_per_hour', ${used(sql`runs_per_hour`, sql`runs.used`, sql`runs.oldest + interval '1 hour'`)},
            'runs_at_once', ${used(sql`runs_at_once`, sql`(SELECT count(*) FROM site_health_runs WHERE account_id = a.id AND finished_at IS NULL)`)},
            'keys', ${used(sql`keys`, usableKeys)},
            'looks_per_day', ${used(sql`looks_per_day`, sql`coalesce(looks.pages, 0)`, sql`(looks.day + 1)::timestamp AT TIME ZONE 'UTC'`)},
            'projects', ${used(mostProjects, sql`(SELECT count(*) FROM (SELECT FROM projects WHERE account_id = a.id LIMIT ${projectsCounted}) AS own)`)}) AS usage
        FROM api_keys k JOIN accounts a ON a.id = k.account_id JOIN plans p ON p.id = a.plan
          LEFT JOIN backlink_looks looks ON looks.account_id = a.id AND looks.day = (clock_timestamp() AT TIME ZONE 'UTC')::date,
          LATERAL (SELECT count(*) AS used, min(at) AS oldest FROM api_key_passes, unnest(passes) AS at
            WHERE key_id = k.id AND at > clock_timestamp() - interval '60 seconds') AS requests,
          LATERAL (SELECT count(*) AS used, min(at) AS oldest FROM site_health_starts(a.id) AS at) AS runs
        WHERE k.id = ${id}`
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

    /**
     * A key's current scopes and the latest end that it may give, with `hasEnded` by the database's clock. Session keys from the administrator's command that
     * may manage keys can give any end.
     */
    const manager = Query.first({
      Request: OfAccount,
      Result: Schema.Struct({ hasEnded: Schema.Boolean, scopes: Schema.Array(Schema.String), until: Schema.String }),
      execute: ({ account, id }) => sql`
        SELECT scopes, revoked_at IS NOT NULL OR coalesce(expires_at <= clock_timestamp(), false) AS "hasEnded",
          CASE WHEN expires_at IS NULL OR (origin = 'session' AND 'keys:manage' = ANY(scopes)) THEN 'infinity' ELSE iso(expires_at) END AS until
        FROM api_keys WHERE id = ${id} AND account_id = ${account} FOR SHARE`
    })

    /** The state of a key, also of a revoked one. `isLasting`: the key ends later than `until`. */
    const state = Query.first({
      Request: Schema.Struct({ ...OfAccount.fields, until: Schema.String }),
      Result: Schema.Struct({
        ...ManagedKey.fields,
        hasExpired: Schema.Boolean,
        isLasting: Schema.Boolean,
        isOfSession: Schema.Boolean,
        isRevoked: Schema.Boolean,
        isRotated: Schema.Boolean
      }),
      execute: ({ account, id, until }) => sql`
        SELECT ${managed}, coalesce(expires_at <= clock_timestamp(), false) AS "hasExpired",
          coalesce(expires_at, 'infinity') > ${until}::timestamptz AS "isLasting", origin = 'session' AS "isOfSession",
          revoked_at IS NOT NULL AS "isRevoked", rotated_at IS NOT NULL AS "isRotated"
        FROM api_keys k WHERE id = ${id} AND account_id = ${account} FOR NO KEY UPDATE`
    })

    /**
     * The number of an account's usable keys, without session keys, and its plan's limit. `wait`: seconds until a key may create another one; null or not
     * positive: now.
     */
    const usage = Query.one({
      Request: Schema.Struct({ account: AccountId }),
      Result: Schema.Struct({ most: Schema.Int, plan: Plan, usable: Schema.Int, wait: Schema.NullOr(Schema.Int) }),
      execute: ({ account }) => sql`
        SELECT keys AS most, plan, ${usableKeys} AS usable,
          (SELECT ceil(extract(epoch FROM created_at + interval '1 minute' - clock_timestamp()))::int FROM api_keys
            WHERE account_id = a.id AND origin = 'api' AND api_keys.created_at <= clock_timestamp()
            ORDER BY api_keys.created_at DESC LIMIT 1 OFFSET ${sql.literal(String(keysPerMinute - 1))}) AS wait
        FROM accounts a JOIN plans p ON p.id = plan WHERE a.id = ${account}`
    })

    /** Ends the replaced keys of an account immediately. */
    const endRotated = Query.none({
      Request: Schema.Struct({ account: AccountId }),
      execute: ({ account }) => sql`
        UPDATE api_keys SET expires_at = clock_timestamp() WHERE account_id = ${account} AND rotated_at IS NOT NULL AND ${isUsable}`
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

    /** Ends a replaced key after `seconds`, or at its own earlier end. */
    const replace = Query.none({
      Request: Schema.Struct({ id: KeyId, seconds: Schema.Number }),
      execute: ({ id, seconds }) => sql`
        UPDATE api_keys SET rotated_at = clock_timestamp(),
          expires_at = least(expires_at, clock_timestamp() + ${seconds} * interval '1 second') WHERE id = ${id}`
    })

    return {
      all,
      change,
      endRotated,
      find,
      insert,
      manager,
      ofHolder,
      page,
      replace,
      revoke,
      state,
      transaction: Query.transaction(sql),
      usage
    }
  })
}) {}
