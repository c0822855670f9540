import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Conflict, NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { Batch } from "../../accounts/Handlers.ts"
import { Owned } from "../../accounts/Owned.ts"
import type { EventId } from "../../events/EventId.ts"
import type { EventType } from "../Catalogue.ts"
import type { DeliveryId, WebhookId } from "../Domain.ts"
import type { StoredSubscription } from "../subscriptions/Subscription.ts"
import { SubscriptionsRepo } from "../subscriptions/SubscriptionsRepo.ts"
import { DeliveriesRepo } from "./DeliveriesRepo.ts"
import type { DeliveryStatus } from "./Delivery.ts"
import { ListsRepo } from "./ListsRepo.ts"
import { before, type Position } from "./Position.ts"

const missing = NotFound.of("delivery")

/** Nothing is sent to a subscription that is not active. */
export const inactive = new Conflict({
  message: "The webhook is not active, so nothing is sent to it: activate it first"
})

const underWay = new Conflict({ message: "The delivery is being attempted at this moment" })

/** Filters of a delivery log. */
interface Filters {
  readonly event: EventId | undefined
  readonly eventType: EventType | undefined
  /** Created then or later. */
  readonly since: DateTime.Utc | undefined
  readonly status: DeliveryStatus | undefined
  /** Created before then. */
  readonly until: DateTime.Utc | undefined
}

/** The delivery log of a subscription: reading it, and sending again. */
export class Deliveries extends Effect.Service<Deliveries>()("webhooks/deliveries/Deliveries", {
  dependencies: [DeliveriesRepo.Default, ListsRepo.Default, SubscriptionsRepo.Default],
  effect: Effect.gen(function* () {
    const lists = yield* ListsRepo
    const repo = yield* DeliveriesRepo
    const subscriptions = yield* SubscriptionsRepo

    const own = Owned.by(subscriptions.own, "webhook")

    /** Locks the account's subscription, so that it stays active until the deliveries put in its queue are committed. */
    const hold = Owned.by(subscriptions.lock, "webhook")

    const find = (id: DeliveryId, webhook: Owned<StoredSubscription>) =>
      Effect.mapError(Effect.flatten(repo.find({ id, webhook })), () => missing)

    const get = Traced.fn("Deliveries.get")(function* (account: AccountId, webhook: WebhookId, id: DeliveryId) {
      return yield* find(id, yield* own(account, webhook))
    })

    /** The log of a subscription, the newest first. */
    const list = Traced.fn("Deliveries.list")(function* (
      account: AccountId,
      webhook: WebhookId,
      filters: Filters,
      batch: Batch
    ) {
      return yield* lists.ofWebhook({ ...filters, ...batch, webhook: yield* own(account, webhook) })
    })

    /** The deliveries of all subscriptions of the account, the newest first. */
    const listAll = (account: AccountId, status: DeliveryStatus | undefined, batch: Batch) =>
      lists.ofAccount({ account, status, ...batch })

    /** Sends a delivery again from the start of the schedule, whether it was accepted or not. */
    const redeliver = Traced.fn("Deliveries.redeliver")(function* (
      account: AccountId,
      webhook: WebhookId,
      id: DeliveryId
    ) {
      const held = yield* hold(account, webhook)
      const current = yield* find(id, held)
      if (!held.value.is_active) return yield* inactive
      const renewed = yield* repo.redeliver({ id: current.id, webhook: held })
      if (Option.isNone(renewed)) return yield* underWay
      yield* repo.wake({ account, webhook: held })
      return yield* find(id, held)
    }, subscriptions.transaction)

    const recoverSome = (account: AccountId, webhook: WebhookId, after: Position) =>
      Effect.gen(function* () {
        const held = yield* hold(account, webhook)
        if (!held.value.is_active) return yield* inactive
        const { last, recovered } = yield* repo.recover({ after, webhook: held })
        if (recovered > 0) yield* repo.wake({ account, webhook: held })
        return [recovered, Option.fromNullable(last)] as const
      }).pipe(subscriptions.transaction)

    /**
     * Sends all events since then that the subscription lists and has not accepted; answers how many. Many events take many transactions: an
     * interrupted recovery keeps what it has committed, and the next one does the rest.
     */
    const recover = Traced.fn("Deliveries.recover")(function* (
      account: AccountId,
      webhook: WebhookId,
      since: DateTime.Utc
    ) {
      const counts = Stream.paginateEffect(before(DateTime.formatIso(since)), (after) =>
        recoverSome(account, webhook, after)
      )
      return { since, recovered: yield* Stream.runSum(counts) }
    })

    return { get, list, listAll, recover, redeliver }
  })
}) {}
