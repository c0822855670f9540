import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Invalid } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import * as Entropy from "../../../foundation/secrets/Entropy.ts"
import { nearest } from "../../../foundation/text/Words.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { Owned } from "../../accounts/Owned.ts"
import * as EventBody from "../../events/EventBody.ts"
import { makeEventId } from "../../events/EventId.ts"
import { catalogue } from "../Catalogue.ts"
import type { WebhookId } from "../Domain.ts"
import { SubscriptionsRepo } from "../subscriptions/SubscriptionsRepo.ts"
import { inactive } from "./Deliveries.ts"
import { DeliveriesRepo } from "./DeliveriesRepo.ts"
import { TestsRepo } from "./TestsRepo.ts"

const names = catalogue.map(({ type }) => type)

/** The refusal of a type that is none, with the nearest one. */
const unknown = (name: string) => {
  const meant = nearest(name.slice(0, 100), names, Number.POSITIVE_INFINITY)
  return Invalid.of("type", `must be one of ${names.join(", ")}; the nearest is ${meant}`)
}

/** Test deliveries: the example of a type, to one subscription. */
export class Tests extends Effect.Service<Tests>()("webhooks/deliveries/Tests", {
  dependencies: [DeliveriesRepo.Default, Entropy.layer, SubscriptionsRepo.Default, TestsRepo.Default],
  effect: Effect.gen(function* () {
    const deliveries = yield* DeliveriesRepo
    const entropy = yield* Entropy.Entropy
    const repo = yield* TestsRepo
    const subscriptions = yield* SubscriptionsRepo

    /** Locks the account's subscription, so that it stays active until its delivery is committed. */
    const hold = Owned.by(subscriptions.lock, "webhook")

    /** Queues a delivery of the type's example, whether the subscription lists the type or not. */
    const send = Traced.fn("Tests.send")(function* (account: AccountId, webhook: WebhookId, name: string) {
      const kind = catalogue.find(({ type }) => type === name)
      if (kind === undefined) return yield* unknown(name)
      const held = yield* hold(account, webhook)
      if (!held.value.is_active) return yield* inactive
      const event = yield* Effect.provideService(makeEventId, Entropy.Entropy, entropy)
      const createdAt = yield* DateTime.now
      const { example, type } = kind
      const parts = { createdAt, data: example, id: event, test: true } as const
      const body = yield* Effect.orDie(EventBody.ofEncoded(type, parts))
      const { id } = yield* repo.insert({ body, createdAt, event, type, webhook: held })
      yield* deliveries.wake({ account, webhook: held })
      return yield* Effect.orDie(Effect.flatten(deliveries.find({ id, webhook: held })))
    }, subscriptions.transaction)

    return { send }
  })
}) {}
