import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { AccountId } from "../../accounts/Domain.ts"
import { apiError } from "../../http/Failure.ts"
import type { DeliveryId, WebhookId } from "../Domain.ts"
import { SubscriptionsRepo } from "../subscriptions/SubscriptionsRepo.ts"
import { DeliveriesRepo } from "./DeliveriesRepo.ts"
import { before, type Position } from "./Position.ts"

const missing = apiError("not_found", "There is no such delivery")

const noWebhook = apiError("not_found", "There is no such webhook")

const inactive = apiError("conflict", "The webhook is not active: activate it first, nothing is sent to it")

const underWay = apiError("conflict", "The delivery is being attempted at this moment")

/** The delivery log of a subscription: reading it, and sending again. */
export class Deliveries extends Effect.Service<Deliveries>()("webhooks/deliveries/Deliveries", {
  dependencies: [DeliveriesRepo.Default, SubscriptionsRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* DeliveriesRepo
    const subscriptions = yield* SubscriptionsRepo

    const find = (id: DeliveryId, webhook: WebhookId) =>
      Effect.mapError(Effect.flatten(repo.find({ id, webhook })), () => missing)

    const get = Effect.fn("Deliveries.get")(function* (account: AccountId, webhook: WebhookId, id: DeliveryId) {
      yield* Effect.mapError(Effect.flatten(subscriptions.find({ account, id: webhook })), () => noWebhook)
      return yield* find(id, webhook)
    })

    /** Holds the account's subscription, so that it stays active until what is put in its queue is committed. */
    const holdActive = Effect.fnUntraced(function* (account: AccountId, id: WebhookId) {
      return yield* Effect.mapError(Effect.flatten(subscriptions.lock({ account, id })), () => noWebhook)
    })

    /** Sends a delivery again, whatever became of it, with the whole schedule before it. */
    const redeliver = Effect.fn("Deliveries.redeliver")(function* (
      account: AccountId,
      webhook: WebhookId,
      id: DeliveryId
    ) {
      const { is_active } = yield* holdActive(account, webhook)
      const current = yield* find(id, webhook)
      if (!is_active) return yield* inactive
      const renewed = yield* repo.redeliver({ id: current.id, webhook })
      if (Option.isNone(renewed)) return yield* underWay
      yield* repo.wakeWorkers
      return renewed.value
    }, subscriptions.transaction)

    const recoverSome = (account: AccountId, webhook: WebhookId, after: Position) =>
      Effect.gen(function* () {
        const { is_active } = yield* holdActive(account, webhook)
        if (!is_active) return yield* inactive
        const { last, recovered } = yield* repo.recover({ after, webhook })
        if (recovered > 0) yield* repo.wakeWorkers
        return [recovered, Option.fromNullable(last)] as const
      }).pipe(subscriptions.transaction)

    /**
     * Sends all events since then that the subscription lists and has not accepted; answers how many. Many events take many transactions: of a
     * recovery that is broken off what was done stays, and another one does the rest.
     */
    const recover = Effect.fn("Deliveries.recover")(function* (
      account: AccountId,
      webhook: WebhookId,
      since: DateTime.Utc
    ) {
      const counts = Stream.paginateEffect(before(DateTime.formatIso(since)), (after) =>
        recoverSome(account, webhook, after)
      )
      return { since, recovered: yield* Stream.runSum(counts) }
    })

    return { get, list: repo.list, recover, redeliver }
  })
}) {}
