import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { Sealed } from "../../../foundation/secrets/Cipher.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { LockRepo } from "../../accounts/Repo.ts"
import { WebhookId, WebhookUrl } from "../Domain.ts"
import { overlapHours } from "../Limits.ts"
import { subscriptionColumns } from "../Rows.ts"
import { StoredSubscription, Subscription } from "./Subscription.ts"

const OfAccount = Schema.Struct({ account: AccountId, id: WebhookId })

const { description, events, id, is_active, url } = Subscription.fields

const NewSubscription = Schema.Struct({ account: AccountId, description, events, id, secret: Sealed, url })

const Change = Schema.Struct({ description, events, id, is_active, url })

/** The address and secrets that a signed request to a subscription needs. */
export const Target = Schema.Struct({
  url: WebhookUrl,
  secret: Sealed,
  previousSecret: Schema.NullOr(Sealed),
  earlierSecret: Schema.NullOr(Sealed)
})
export type Target = typeof Target.Type

/** The statements of subscriptions. */
export class SubscriptionsRepo extends Effect.Service<SubscriptionsRepo>()("webhooks/subscriptions/SubscriptionsRepo", {
  dependencies: [LockRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = yield* subscriptionColumns("shown")
    const stored = yield* subscriptionColumns("stored")

    const { lockAccount } = yield* LockRepo

    const count = Query.one({
      Request: AccountId,
      Result: Schema.Struct({ count: Schema.Int }),
      execute: (account) => sql`SELECT count(*)::int AS count FROM webhooks WHERE account_id = ${account}`
    })

    const insert = Query.one({
      Request: NewSubscription,
      Result: Subscription,
      execute: ({ account, description, events, id, secret, url }) => sql`
        INSERT INTO webhooks (id, account_id, url, events, description, secret)
        VALUES (${id}, ${account}, ${url}, ${events}, ${description}, ${secret}) RETURNING ${columns}`
    })

    const list = Query.oldestFirst(sql, {
      Request: Schema.Struct({ account: AccountId }),
      Result: Subscription,
      table: "webhooks",
      rows: ({ account }) => sql`SELECT ${columns} FROM webhooks WHERE account_id = ${account}`
    })

    const find = Query.first({
      Request: OfAccount,
      Result: Subscription,
      execute: ({ account, id }) => sql`SELECT ${columns} FROM webhooks WHERE id = ${id} AND account_id = ${account}`
    })

    /** The same without what becomes of its deliveries. */
    const own = Query.first({
      Request: OfAccount,
      Result: StoredSubscription,
      execute: ({ account, id }) => sql`SELECT ${stored} FROM webhooks WHERE id = ${id} AND account_id = ${account}`
    })

    /** The same, locked against every other change until the transaction ends. */
    const lock = Query.first({
      Request: OfAccount,
      Result: StoredSubscription,
      execute: ({ account, id }) => sql`
        SELECT ${stored} FROM webhooks WHERE id = ${id} AND account_id = ${account} FOR NO KEY UPDATE`
    })

    /** A new address, or a reactivation, clears the record of failures. */
    const update = Query.one({
      Request: Change,
      Result: StoredSubscription,
      execute: ({ description, events, id, is_active, url }) => sql`
        UPDATE webhooks SET url = ${url}, events = ${events}, description = ${description}, is_active = ${is_active},
          failing_since = CASE WHEN url = ${url} AND is_active THEN failing_since END,
          deactivation = CASE WHEN ${is_active} THEN NULL ELSE deactivation END,
          deactivated_at = CASE WHEN ${is_active} THEN NULL ELSE deactivated_at END
        WHERE id = ${id} RETURNING ${stored}`
    })

    /** Replaces the secret; returns none while two replaced ones still sign. */
    const rotate = Query.first({
      Request: Schema.Struct({ ...OfAccount.fields, secret: Sealed }),
      Result: Subscription,
      execute: ({ account, id, secret }) => sql`
        UPDATE webhooks SET secret = ${secret}, previous_secret = secret, earlier_secret = previous_secret,
          previous_secret_expires_at = clock_timestamp() + ${overlapHours} * interval '1 hour',
          earlier_secret_expires_at = previous_secret_expires_at
        WHERE id = ${id} AND account_id = ${account} AND (earlier_secret_expires_at > clock_timestamp()) IS NOT TRUE
        RETURNING ${columns}`
    })

    /** When the secret can be replaced again. */
    const rotatable = Query.first({
      Request: OfAccount,
      Result: Schema.Struct({ from: Timestamp }),
      execute: ({ account, id }) => sql`
        SELECT iso(coalesce(earlier_secret_expires_at, clock_timestamp())) AS "from" FROM webhooks
        WHERE id = ${id} AND account_id = ${account}`
    })

    const remove = Query.first({
      Request: OfAccount,
      Result: Schema.Struct({ id: WebhookId }),
      execute: ({ account, id }) => sql`DELETE FROM webhooks WHERE id = ${id} AND account_id = ${account} RETURNING id`
    })

    const target = Query.first({
      Request: OfAccount,
      Result: Target,
      execute: ({ account, id }) => sql`
        SELECT url, secret,
          CASE WHEN previous_secret_expires_at > clock_timestamp() THEN previous_secret END AS "previousSecret",
          CASE WHEN earlier_secret_expires_at > clock_timestamp() THEN earlier_secret END AS "earlierSecret"
        FROM webhooks WHERE id = ${id} AND account_id = ${account}`
    })

    return {
      count,
      find,
      insert,
      list,
      lock,
      lockAccount,
      own,
      remove,
      rotatable,
      rotate,
      target,
      transaction: Query.transaction(sql),
      update
    }
  })
}) {}
