import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Outbound, problemOf } from "../../../foundation/outbound/Outbound.ts"
import { Conflict, Invalid, NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { Cipher } from "../../../foundation/secrets/Cipher.ts"
import * as Entropy from "../../../foundation/secrets/Entropy.ts"
import * as InstallationKey from "../../../foundation/secrets/InstallationKey.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import { Owned } from "../../accounts/Owned.ts"
import { makeWebhookId, type WebhookId, type WebhookUrl } from "../Domain.ts"
import { DeliveriesRepo } from "../deliveries/DeliveriesRepo.ts"
import { overlapHours, subscriptionsPerAccount } from "../Limits.ts"
import { generate } from "../signature/Secret.ts"
import * as Secrets from "./Secrets.ts"
import type { CreateSubscription, PatchSubscription } from "./Subscription.ts"
import { SubscriptionsRepo } from "./SubscriptionsRepo.ts"

const missing = NotFound.of("webhook")

const tooMany = new Invalid({
  message: `An account has at most ${subscriptionsPerAccount} webhooks`,
  details: [{ path: "body", message: `the account has ${subscriptionsPerAccount} webhooks, which is the limit` }]
})

/** The webhook subscriptions of an account. */
export class Subscriptions extends Effect.Service<Subscriptions>()("webhooks/subscriptions/Subscriptions", {
  dependencies: [DeliveriesRepo.Default, Entropy.layer, InstallationKey.layer, SubscriptionsRepo.Default],
  effect: Effect.gen(function* () {
    const cipher = yield* Cipher
    const deliveries = yield* DeliveriesRepo
    const entropy = yield* Entropy.Entropy
    const outbound = yield* Outbound
    const repo = yield* SubscriptionsRepo

    const random = Effect.provideService(Entropy.Entropy, entropy)

    /**
     * Refuses an address whose host is not public now, or does not resolve, so that a subscriber hears of a typing error at once. Every attempt checks
     * the host again. It waits for DNS, so no transaction should be open meanwhile.
     */
    const checkAddress = (url: WebhookUrl) =>
      // The handlers that call this are uninterruptible, where the look-up's own time-out could not end it.
      Effect.mapError(Effect.interruptible(outbound.vet(new URL(url))), (error) => Invalid.of("url", problemOf(error)))

    /** The account's subscription with the proof of ownership. */
    const own = Owned.by(repo.own, "webhook")

    /** The account's subscription; fails alike when it is missing and when it is another account's. */
    const get = (account: AccountId, id: WebhookId) =>
      Effect.mapError(Effect.flatten(repo.find({ account, id })), () => missing)

    const list = (account: AccountId, batch: Batch) => repo.list({ account, ...batch })

    /** Adds a subscription whose address was checked, and answers it with its secret, which is shown this once. */
    const add = Traced.fn("Subscriptions.add")(function* (account: AccountId, input: CreateSubscription) {
      const id = yield* random(makeWebhookId)
      const secret = yield* random(generate)
      const sealed = yield* cipher.seal(Secrets.purpose, id, secret)
      const created = yield* Effect.gen(function* () {
        yield* repo.lockAccount(account)
        const { count } = yield* repo.count(account)
        if (count >= subscriptionsPerAccount) return yield* tooMany
        return yield* repo.insert({ ...input, account, id, secret: sealed })
      }).pipe(repo.transaction)
      return { ...created, secret: Redacted.value(secret) }
    })

    /** Checks the address, then adds the subscription. */
    const create = (account: AccountId, input: CreateSubscription) =>
      Effect.zipRight(checkAddress(input.url), add(account, input))

    /** Changes the given fields. Deactivation fails the deliveries that wait, visibly in the log; activation clears the record of failures. */
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

    /** Replaces the secret. The old one signs for 24 hours more; at most three sign, so a third rotation within 24 hours is refused. */
    const rotate = Traced.fn("Subscriptions.rotate")(function* (account: AccountId, id: WebhookId) {
      const secret = yield* random(generate)
      const sealed = yield* cipher.seal(Secrets.purpose, id, secret)
      const rotated = yield* repo.rotate({ account, id, secret: sealed })
      if (Option.isSome(rotated)) return { ...rotated.value, secret: Redacted.value(secret) }
      const { from } = yield* Effect.mapError(Effect.flatten(repo.rotatable({ account, id })), () => missing)
      return yield* new Conflict({
        message: `The secret was rotated twice within ${overlapHours} hours, and both earlier ones still sign; it can be rotated again at ${from}`
      })
    })

    /** Deletes the subscription with its delivery log; nothing more is sent to it. */
    const remove = Traced.fn("Subscriptions.remove")(function* (account: AccountId, id: WebhookId) {
      yield* Effect.mapError(Effect.flatten(repo.remove({ account, id })), () => missing)
    })

    return { add, checkAddress, create, get, list, patch, remove, rotate }
  })
}) {}
