import * as SqlClient from "@effect/sql/SqlClient"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { Outbound, problemOf } from "../../../foundation/outbound/Outbound.ts"
import { Conflict, Invalid, NotFound } from "../../../foundation/schema/DomainError.ts"
import { Timestamp } from "../../../foundation/schema/Time.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { Cipher, installationLayer, Sealed } from "../../../foundation/secrets/Cipher.ts"
import * as Entropy from "../../../foundation/secrets/Entropy.ts"
import { LockRepo } from "../../accounts/Accounts.ts"
import { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import { Owned } from "../../accounts/Owned.ts"
import { Format, makeWebhookId, overlapHours, subscriptionsPerAccount, WebhookId, WebhookUrl } from "../Domain.ts"
import { DeliveriesRepo } from "../deliveries/DeliveriesRepo.ts"
import { subscriptionColumns } from "../Rows.ts"
import { generate, Secret } from "../signature/Secret.ts"
import { type CreateSubscription, type PatchSubscription, StoredSubscription, Subscription } from "./Subscription.ts"

/** The encrypted secrets of a subscription: the current one and the two before it, null when expired. */
export interface SealedSecrets {
  readonly secret: Sealed
  readonly previousSecret: Sealed | null
  readonly earlierSecret: Sealed | null
}

const sealedOf = ({ earlierSecret, previousSecret, secret }: SealedSecrets) =>
  [secret, previousSecret, earlierSecret].filter((sealed) => sealed !== null)

/** The purpose to which the cipher binds the secrets. */
const purpose = "secret of webhook"

const decode = Schema.decode(Secret)

/** Decrypts a subscription's current signing secrets, latest first. */
export const open = Effect.fnUntraced(function* (webhook: WebhookId, secrets: SealedSecrets) {
  const cipher = yield* Cipher
  return yield* Effect.forEach(sealedOf(secrets), (sealed) =>
    Effect.flatMap(cipher.open(purpose, webhook, sealed), (text) =>
      // This purpose only has secrets.
      Effect.map(Effect.orDie(decode(Redacted.value(text))), Redacted.make)
    )
  )
})

/** Maximum subscriptions with decrypted secrets in a process's cache. */
const remembered = 1000

/** `open` with a cache. Its key is the encrypted text, which changes with the secret. */
export const remembering = (cipher: Context.Tag.Service<Cipher>) => {
  const known = new Map<string, Effect.Effect.Success<ReturnType<typeof open>>>()
  const learn = (name: string, opened: Effect.Effect.Success<ReturnType<typeof open>>) => {
    if (known.size >= remembered) known.clear()
    known.set(name, opened)
  }
  return (webhook: WebhookId, sealed: SealedSecrets) => {
    const name = [webhook, ...sealedOf(sealed)].join(" ")
    const before = known.get(name)
    if (before !== undefined) return Effect.succeed(before)
    return open(webhook, sealed).pipe(
      Effect.provideService(Cipher, cipher),
      Effect.tap((opened) => Effect.sync(() => learn(name, opened)))
    )
  }
}

const OfAccount = Schema.Struct({ account: AccountId, id: WebhookId })

const { description, events, format, id, is_active, url } = Subscription.fields

const NewSubscription = Schema.Struct({ account: AccountId, description, events, format, id, secret: Sealed, url })

const Change = Schema.Struct({ description, events, format, id, is_active, url })

/** URL, format and secrets for a signed request to a subscription. */
export const Target = Schema.Struct({
  format: Format,
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
      execute: ({ account, description, events, format, id, secret, url }) => sql`
        INSERT INTO webhooks (id, account_id, url, events, format, description, secret)
        VALUES (${id}, ${account}, ${url}, ${events}, ${format}, ${description}, ${secret}) RETURNING ${columns}`
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

    /** The account's subscription without the activity of its deliveries. */
    const own = Query.first({
      Request: OfAccount,
      Result: StoredSubscription,
      execute: ({ account, id }) => sql`SELECT ${stored} FROM webhooks WHERE id = ${id} AND account_id = ${account}`
    })

    /** The account's subscription, locked against every other change until the transaction ends. */
    const lock = Query.first({
      Request: OfAccount,
      Result: StoredSubscription,
      execute: ({ account, id }) => sql`
        SELECT ${stored} FROM webhooks WHERE id = ${id} AND account_id = ${account} FOR NO KEY UPDATE`
    })

    /** Updates a subscription; a new URL, or a reactivation, clears the record of failures. */
    const update = Query.one({
      Request: Change,
      Result: StoredSubscription,
      execute: ({ description, events, format, id, is_active, url }) => sql`
        UPDATE webhooks SET url = ${url}, events = ${events}, format = ${format}, description = ${description}, is_active = ${is_active},
          failing_since = CASE WHEN url = ${url} AND is_active THEN failing_since END,
          deactivation = CASE WHEN ${is_active} THEN NULL ELSE deactivation END,
          deactivated_at = CASE WHEN ${is_active} THEN NULL ELSE deactivated_at END
        WHERE id = ${id} RETURNING ${stored}`
    })

    /** Replaces the secret; no row while two replaced secrets still sign. */
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

    /** The time from which the secret can be replaced again. */
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
        SELECT url, format, secret,
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

const missing = NotFound.of("endpoint")

const tooMany = new Invalid({
  message: `The account has ${subscriptionsPerAccount} endpoints, which is the limit: delete one first`,
  details: [{ path: "body", message: `The account has ${subscriptionsPerAccount} endpoints, which is the limit` }]
})

/** The webhook subscriptions of an account. */
export class Subscriptions extends Effect.Service<Subscriptions>()("webhooks/subscriptions/Subscriptions", {
  dependencies: [DeliveriesRepo.Default, Entropy.layer, installationLayer, SubscriptionsRepo.Default],
  effect: Effect.gen(function* () {
    const cipher = yield* Cipher
    const deliveries = yield* DeliveriesRepo
    const entropy = yield* Entropy.Entropy
    const outbound = yield* Outbound
    const repo = yield* SubscriptionsRepo

    const random = Effect.provideService(Entropy.Entropy, entropy)

    /**
     * Refuses a URL with a host that is not public now, or does not resolve, so that a typing error shows immediately. Every attempt checks the host again.
     * The check waits for DNS, so no transaction should be open meanwhile.
     */
    const checkAddress = (url: WebhookUrl) =>
      // The calling handlers are uninterruptible, so the look-up's own time-out could not end it.
      Effect.mapError(Effect.interruptible(outbound.vet(new URL(url))), (error) => Invalid.of("url", problemOf(error)))

    /** The account's subscription with the proof of ownership. */
    const own = Owned.by(repo.own, "endpoint")

    /** The account's subscription; a missing or foreign one gives one error. */
    const get = (account: AccountId, id: WebhookId) =>
      Effect.mapError(Effect.flatten(repo.find({ account, id })), () => missing)

    const list = (account: AccountId, batch: Batch) => repo.list({ account, ...batch })

    /** Adds a subscription with a checked URL, and returns it with its secret, which is shown only once. */
    const add = Traced.fn("Subscriptions.add")(function* (account: AccountId, input: CreateSubscription) {
      const id = yield* random(makeWebhookId)
      const secret = yield* random(generate)
      const sealed = yield* cipher.seal(purpose, id, secret)
      const created = yield* Effect.gen(function* () {
        yield* repo.lockAccount(account)
        const { count } = yield* repo.count(account)
        if (count >= subscriptionsPerAccount) return yield* tooMany
        return yield* repo.insert({ ...input, account, id, secret: sealed })
      }).pipe(repo.transaction)
      return { ...created, secret: Redacted.value(secret) }
    })

    /** Checks the URL, then adds the subscription. */
    const create = (account: AccountId, input: CreateSubscription) =>
      Effect.zipRight(checkAddress(input.url), add(account, input))

    /** Updates the given fields. Deactivation fails the waiting deliveries, visibly in the log; activation clears the record of failures. */
    const patch = Traced.fn("Subscriptions.patch")(function* (
      account: AccountId,
      id: WebhookId,
      changes: PatchSubscription
    ) {
      yield* own(account, id)
      if (changes.url !== undefined) yield* checkAddress(changes.url)
      return yield* Effect.gen(function* () {
        const current = yield* Effect.mapError(Effect.flatten(repo.lock({ account, id })), () => missing)
        const { is_active } = yield* repo.update({ ...current, ...changes })
        if (!is_active) yield* deliveries.abandon(id)
        return yield* get(account, id)
      }).pipe(repo.transaction)
    })

    /** Replaces the secret. The old one signs for 24 more hours; at most three sign, so a third rotation within 24 hours is refused. */
    const rotate = Traced.fn("Subscriptions.rotate")(function* (account: AccountId, id: WebhookId) {
      const secret = yield* random(generate)
      const sealed = yield* cipher.seal(purpose, id, secret)
      const rotated = yield* repo.rotate({ account, id, secret: sealed })
      if (Option.isSome(rotated)) return { ...rotated.value, secret: Redacted.value(secret) }
      const { from } = yield* Effect.mapError(Effect.flatten(repo.rotatable({ account, id })), () => missing)
      return yield* new Conflict({
        message: `The secret was rotated twice within ${overlapHours} hours. The next rotation is possible at ${from}`
      })
    })

    /** Deletes the subscription with its delivery log, and sends nothing more. */
    const remove = Traced.fn("Subscriptions.remove")(function* (account: AccountId, id: WebhookId) {
      yield* Effect.mapError(Effect.flatten(repo.remove({ account, id })), () => missing)
    })

    return { add, checkAddress, create, get, list, patch, remove, rotate }
  })
}) {}
