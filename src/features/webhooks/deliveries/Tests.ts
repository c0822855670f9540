import * as SqlClient from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { Invalid } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import * as Entropy from "../../../foundation/secrets/Entropy.ts"
import { nearest } from "../../../foundation/text/Words.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import { Owned, OwnedId } from "../../accounts/Owned.ts"
import { EventBody, EventId, makeEventId, ofEncoded } from "../../events/EventKind.ts"
import { catalogue, EventType } from "../Catalogue.ts"
import { DeliveryId, WebhookId } from "../Domain.ts"
import { SubscriptionsRepo } from "../subscriptions/Subscriptions.ts"
import { inactive } from "./Deliveries.ts"
import { DeliveriesRepo } from "./DeliveriesRepo.ts"

/** Writes test deliveries. */
export class TestsRepo extends Effect.Service<TestsRepo>()("webhooks/deliveries/TestsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Queues a delivery to one subscription. Lists of events and feeds omit its test event, and no other subscription receives it. */
    const insert = Query.one({
      Request: Schema.Struct({
        body: EventBody,
        createdAt: Schema.DateTimeUtc,
        event: EventId,
        type: EventType,
        webhook: OwnedId(WebhookId)
      }),
      Result: Schema.Struct({ id: DeliveryId }),
      execute: ({ body, createdAt, event, type, webhook }) => sql`
        WITH event AS (
          INSERT INTO events (id, account_id, type, body, is_test, created_at)
          SELECT ${event}, account_id, ${type}, ${body}, true, ${createdAt}::timestamptz FROM webhooks WHERE id = ${webhook}
          RETURNING id, type, created_at
        )
        INSERT INTO webhook_queue (webhook_id, event_id, event_type, format, created_at)
        SELECT w.id, event.id, type, w.format, event.created_at FROM event JOIN webhooks w ON w.id = ${webhook} RETURNING id`
    })

    return { insert }
  })
}) {}

const names = catalogue.map(({ type }) => type)

/** The error for an unknown type, with the nearest one. */
const unknown = (name: string) => {
  const meant = nearest(name.slice(0, 100), names, Number.POSITIVE_INFINITY)
  return Invalid.of("type", `must be one of ${names.join(", ")}. Did you mean ${meant}?`)
}

/** Test deliveries: the example of a type, to one subscription. */
export class Tests extends Effect.Service<Tests>()("webhooks/deliveries/Tests", {
  dependencies: [DeliveriesRepo.Default, Entropy.layer, SubscriptionsRepo.Default, TestsRepo.Default],
  effect: Effect.gen(function* () {
    const deliveries = yield* DeliveriesRepo
    const entropy = yield* Entropy.Entropy
    const repo = yield* TestsRepo
    const subscriptions = yield* SubscriptionsRepo

    /** Locks the account's subscription, so it stays active until its delivery is committed. */
    const hold = Owned.by(subscriptions.lock, "endpoint")

    /** Queues a delivery of the type's example, even if the subscription does not list the type. */
    const send = Traced.fn("Tests.send")(function* (account: AccountId, webhook: WebhookId, name: string) {
      const kind = catalogue.find(({ type }) => type === name)
      if (kind === undefined) return yield* unknown(name)
      const held = yield* hold(account, webhook)
      if (!held.value.is_active) return yield* inactive
      const event = yield* Effect.provideService(makeEventId, Entropy.Entropy, entropy)
      const createdAt = yield* DateTime.now
      const { example, type } = kind
      const parts = { createdAt, data: example, id: event, test: true } as const
      const body = yield* Effect.orDie(ofEncoded(type, parts))
      const { id } = yield* repo.insert({ body, createdAt, event, type, webhook: held })
      yield* deliveries.wake({ account, webhook: held })
      return yield* Effect.orDie(Effect.flatten(deliveries.find({ id, webhook: held })))
    }, subscriptions.transaction)

    return { send }
  })
}) {}
