import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { AccountId, KeyId } from "./Domain.ts"

/** What a key may do now. */
export const Right = Schema.Struct({
  keyId: KeyId,
  accountId: Schema.NullOr(AccountId),
  revoked: Schema.Boolean,
  scopes: Schema.Array(Schema.String)
})
export type Right = typeof Right.Type

/** What keys may do at this moment, without counting anything against their limits. */
export class RightsRepo extends Effect.Service<RightsRepo>()("accounts/RightsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const ofKeys = Query.all({
      Request: Schema.Array(KeyId),
      Result: Right,
      execute: (keys) => sql`
        SELECT k.id AS "keyId", a.id AS "accountId", scopes, revoked_at IS NOT NULL OR coalesce(expires_at <= clock_timestamp(), false) AS revoked
        FROM api_keys k LEFT JOIN accounts a ON a.id = k.account_id WHERE k.id = ANY(${keys}::uuid[])`
    })

    const accounts = Query.all({
      Request: Schema.Array(AccountId),
      Result: Schema.Struct({ id: AccountId }),
      execute: (ids) => sql`SELECT id FROM accounts WHERE id = ANY(${ids}::uuid[])`
    })

    return { accounts, ofKeys }
  })
}) {}
