import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { AccountId } from "../../../src/features/accounts/Domain.ts"
import { auditCompleted, auditFailed } from "../../../src/features/audits/Events.ts"
import { backlinkLost } from "../../../src/features/backlinks/Events.ts"
import type { EventKind } from "../../../src/features/events/EventKind.ts"
import { Events, type PublishOptions } from "../../../src/features/events/Events.ts"
import { interventionDeployed, interventionRolledBack } from "../../../src/features/interventions/Events.ts"
import {
  rankingClimbed,
  rankingDropped,
  trafficDropped,
  trafficRecovered
} from "../../../src/features/rankings/Events.ts"
import {
  siteHealthCompleted,
  siteHealthFailed,
  siteHealthScoreDropped
} from "../../../src/features/sitehealth/Events.ts"
import { geoScoreChanged } from "../../../src/features/visibility/Events.ts"
import { type EventName, subscribable } from "../../../src/features/webhooks/Catalogue.ts"
import { WebhookId } from "../../../src/features/webhooks/Domain.ts"
import { ListsRepo } from "../../../src/features/webhooks/deliveries/Deliveries.ts"
import type { Delivery } from "../../../src/features/webhooks/deliveries/Delivery.ts"
import { deliveryExhausted, webhookDeactivated } from "../../../src/features/webhooks/Events.ts"
import { Secret } from "../../../src/features/webhooks/signature/Secret.ts"
import { ownedBy } from "../../owned.ts"
import * as Server from "../../server.ts"
import { until } from "../../waiting.ts"

export { until } from "../../waiting.ts"

/** Every event type that webhooks can subscribe to. */
export const everyEvent: ReadonlyArray<EventName> = subscribable.map(({ type }) => type)

const publish = <Type extends EventName, Data, Encoded>(kind: EventKind<Type, Data, Encoded>) =>
  Effect.fnUntraced(function* (account: AccountId, options?: PublishOptions) {
    const sql = yield* SqlClient.SqlClient
    const events = yield* Events
    const data = yield* Schema.decodeUnknown(kind.data)(kind.example)
    yield* sql.withTransaction(events.publish(account, kind, data, options))
  }, Effect.orDie)

/** Publishes the example of an event type, in a transaction. */
export const publishExample: Readonly<Record<EventName, ReturnType<typeof publish>>> = {
  "audit.completed": publish(auditCompleted),
  "audit.failed": publish(auditFailed),
  "backlink.lost": publish(backlinkLost),
  "geo_score.changed": publish(geoScoreChanged),
  "intervention.deployed": publish(interventionDeployed),
  "intervention.rolled_back": publish(interventionRolledBack),
  "ranking.climbed": publish(rankingClimbed),
  "ranking.dropped": publish(rankingDropped),
  "site_health.completed": publish(siteHealthCompleted),
  "site_health.failed": publish(siteHealthFailed),
  "site_health.score_dropped": publish(siteHealthScoreDropped),
  "traffic.dropped": publish(trafficDropped),
  "traffic.recovered": publish(trafficRecovered),
  "delivery.exhausted": publish(deliveryExhausted),
  "webhook.deactivated": publish(webhookDeactivated)
}

/** A customer with one webhook for an endpoint. */
export const subscriber = (url: string, events: ReadonlyArray<EventName> = everyEvent) =>
  Effect.gen(function* () {
    const { account, key } = yield* Server.customer()
    const webhook = yield* subscribe(key, url, events)
    return { ...webhook, account, key }
  })

/** Creates a webhook through the API. */
export const subscribe = (key: string, url: string, events: ReadonlyArray<EventName> = everyEvent) =>
  Effect.gen(function* () {
    const { body, status } = yield* Server.send("POST", "/api/v1/webhooks", { body: { events, url }, key })
    if (status !== 201) return yield* Effect.dieMessage(JSON.stringify(body))
    const id = WebhookId.make(body.data.id)
    return { id, path: `/api/v1/webhooks/${id}`, secret: Secret.make(body.data.secret) }
  })

/** The complete log. */
export const unfiltered = {
  event: undefined,
  eventType: undefined,
  since: undefined,
  status: undefined,
  until: undefined
}

const someone = AccountId.make("0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11")

/** The delivery log of a webhook, latest first, without the API and its rate limit. */
export const log = ({ id }: { readonly id: WebhookId }) =>
  Effect.flatMap(ListsRepo, (repo) =>
    repo.ofWebhook({ ...unfiltered, after: undefined, count: 100, webhook: ownedBy(someone, id) })
  )

/** Waits until the latest delivery is as expected: recording follows the response by some milliseconds. */
export const newestUntil = (
  webhook: { readonly id: WebhookId },
  holds: (newest: Delivery, all: ReadonlyArray<Delivery>) => boolean
) =>
  Effect.flatMap(
    until(log(webhook), (all) => all[0] !== undefined && holds(all[0], all)),
    ([newest]) => Effect.fromNullable(newest)
  ).pipe(Effect.orDie)

/** Waits until the latest delivery has `count` attempts, none of them in flight. */
export const attempted = (webhook: { readonly id: WebhookId }, count: number) =>
  newestUntil(webhook, ({ attempts, status }) => attempts.length === count && status !== "delivering")

/** Makes all waiting deliveries due: time passes in this way in these tests. */
export const passTime = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE webhook_queue SET waiting = false, next_attempt_at = clock_timestamp() WHERE worker IS NULL`
  yield* sql`SELECT pg_notify('findable_webhooks', account_id || ':' || id) FROM webhooks`
}).pipe(Effect.orDie)

/** Real server, real workers, real database. */
export const layer = Layer.provideMerge(Layer.merge(ListsRepo.Default, Events.Default), Server.layerWithWorkers)
