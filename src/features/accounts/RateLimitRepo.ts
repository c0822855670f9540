import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { every } from "../../foundation/database/Outages.ts"
import * as Query from "../../foundation/database/Query.ts"
import { StatementLimit } from "../../foundation/database/StatementLimit.ts"
import { AccountId, KeyId } from "./Domain.ts"

/** The state of a key and of its rate limits, read in one round trip. */
const RateLimitCheck = Schema.Struct({
  keyId: KeyId,
  accountId: Schema.NullOr(AccountId),
  scopes: Schema.Array(Schema.String),
  revoked: Schema.Boolean,
  limit: Schema.NullOr(Schema.Int),
  remaining: Schema.NullOr(Schema.Int),
  resetSeconds: Schema.NullOr(Schema.Int),
  /** Seconds until a request would pass; null when this one did. */
  waitSeconds: Schema.NullOr(Schema.Int)
})

export class RateLimitRepo extends Effect.Service<RateLimitRepo>()("accounts/RateLimitRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pass = Query.first({
      Request: Schema.Uint8ArrayFromSelf,
      Result: RateLimitCheck,
      execute: (hash) => sql`
        SELECT key_id AS "keyId", account_id AS "accountId", scopes, revoked, window_limit AS "limit", remaining,
          reset_seconds AS "resetSeconds", wait_seconds AS "waitSeconds"
        FROM check_rate_limit(${hash})`
    })
    const find = Query.first({
      Request: Schema.Uint8ArrayFromSelf,
      Result: RateLimitCheck,
      execute: (hash) => sql`
        SELECT k.id AS "keyId", a.id AS "accountId", scopes, revoked_at IS NOT NULL OR coalesce(expires_at <= clock_timestamp(), false) AS revoked,
          NULL AS "limit", NULL AS remaining, NULL AS "resetSeconds", NULL AS "waitSeconds"
        FROM api_keys k LEFT JOIN accounts a ON a.id = k.account_id WHERE hash = ${hash}`
    })
    /** Removes passes that no window has any more. Those that a request moves at that time stay for the next round, so that neither waits for the other. */
    const purge = Query.none({
      Request: Schema.Void,
      execute: () => sql`
        DELETE FROM api_key_passes WHERE (key_id, slot) IN (
          SELECT key_id, slot FROM api_key_passes WHERE at < clock_timestamp() - interval '1 minute' FOR UPDATE SKIP LOCKED)`
    })
    const unlimited = <A, E, R>(look: Effect.Effect<A, E, R>) =>
      Effect.provideService(look, StatementLimit, Number.POSITIVE_INFINITY)
    return {
      /** The same without counting anything. */
      find: (hash: Uint8Array) => unlimited(find(hash)),
      /** Looks the key up by its hash and, if it is usable, counts the request against its limits. It has no time limit: no caller could make it faster. */
      pass: (hash: Uint8Array) => unlimited(pass(hash)),
      purge: purge(undefined)
    }
  })
}) {}

/** Removes passes whose window is over, four times a minute. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(RateLimitRepo, ({ purge }) =>
    every("15 seconds", "Old passes of the rate limits could not be removed")(purge)
  )
).pipe(Layer.provide(RateLimitRepo.Default))
