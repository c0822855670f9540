import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Namespace from "../../foundation/database/Namespace.ts"
import * as Query from "../../foundation/database/Query.ts"
import { Sealed } from "../../foundation/secrets/Cipher.ts"
import { AccountId } from "./Domain.ts"

const OfKey = Schema.Struct({ account: AccountId, key: Schema.String })

const Known = Schema.Struct({
  request: Schema.String,
  /** Null when the key stands for a run. */
  answer: Schema.NullOr(
    Schema.Struct({
      data: Schema.Unknown,
      /** The field of its secret; absent in answers without one. */
      field: Schema.optionalWith(Schema.String, { exact: true }),
      location: Schema.String,
      /** Whether it is not yet known how the creation ended: other services take part in it. */
      open: Schema.optionalWith(Schema.Boolean, { exact: true })
    })
  ),
  /** The secret of the answer, kept for a day. */
  secret: Schema.NullOr(Sealed)
})
export type Known = typeof Known.Type

const First = Schema.Struct({
  ...OfKey.fields,
  request: Schema.String,
  answer: Schema.String,
  secret: Schema.NullOr(Sealed)
})

export class IdempotencyRepo extends Effect.Service<IdempotencyRepo>()("accounts/IdempotencyRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Lets one request with this key at a time through, until its transaction ends. */
    const lock = Query.none({
      Request: OfKey,
      execute: ({ account, key }) =>
        sql`SELECT ${Namespace.lock(sql, sql`hashtextextended(${account}, hashtext(${key}))`)}`
    })

    const find = Query.first({
      Request: OfKey,
      Result: Known,
      execute: ({ account, key }) => sql`
        SELECT request::text AS request, answer,
          CASE WHEN created_at > clock_timestamp() - interval '1 day' THEN secret END AS secret
        FROM idempotency_keys WHERE account_id = ${account} AND key = ${key}`
    })

    /** Stores the first answer; no row comes back when another request took the key meanwhile. */
    const keep = Query.first({
      Request: First,
      Result: Schema.Struct({ key: Schema.String }),
      execute: ({ account, answer, key, request, secret }) => sql`
        INSERT INTO idempotency_keys (account_id, key, request, answer, secret)
        VALUES (${account}, ${key}, ${request}::json, ${answer}::json, ${secret})
        ON CONFLICT DO NOTHING RETURNING key`
    })

    /** Replaces the answer of a creation that was open. */
    const amend = Query.none({
      Request: Schema.Struct({ ...OfKey.fields, answer: Schema.String }),
      execute: ({ account, answer, key }) =>
        sql`UPDATE idempotency_keys SET answer = ${answer}::json WHERE account_id = ${account} AND key = ${key}`
    })

    const forgetSecrets = Query.none({
      Request: Schema.Void,
      execute: () => sql`
        UPDATE idempotency_keys SET secret = NULL
        WHERE secret IS NOT NULL AND created_at <= clock_timestamp() - interval '1 day'`
    })

    return { amend, find, forgetSecrets: forgetSecrets(undefined), keep, lock, transaction: Query.transaction(sql) }
  })
}) {}
