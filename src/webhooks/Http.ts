import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Api } from "../Api.ts"
import { Caller } from "../accounts/Authorized.ts"
import type { AccountId } from "../accounts/Domain.ts"
import { page } from "../http/Paging.ts"
import type { WebhookId } from "./Domain.ts"
import { Deliveries } from "./deliveries/Deliveries.ts"
import * as Metrics from "./deliveries/Metrics.ts"
import { Recovered } from "./deliveries/Recovery.ts"
import { Ping } from "./subscriptions/Ping.ts"
import { Subscriptions } from "./subscriptions/Subscriptions.ts"

/** What a use case answers to the account of the caller, as the payload of an answer. */
const answer = <A, E, R>(ask: (account: AccountId) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Caller, ({ accountId }) => Effect.map(ask(accountId), (data) => ({ data })))

/** Something was put into the queue: an answer that tells where to watch it. */
const accepted = (data: unknown, location: string) =>
  HttpServerResponse.unsafeJson({ data }, { headers: { location }, status: 202 })

const logOf = (webhook: WebhookId) => `/api/v1/webhooks/${webhook}/deliveries`

const whole = { uninterruptible: true } as const

export const layer = HttpApiBuilder.group(Api, "webhooks", (handlers) =>
  Effect.gen(function* () {
    const { ping } = yield* Ping
    const deliveries = yield* Deliveries
    const subscriptions = yield* Subscriptions
    return handlers
      .handle("list", ({ urlParams: { cursor, limit } }) =>
        Effect.flatMap(Caller, ({ accountId }) =>
          page(
            { cursor, limit, of: ["webhooks", accountId] },
            (after, count) => subscriptions.list({ account: accountId, after, count }),
            (webhook) => [webhook.created_at, webhook.id]
          )
        )
      )
      .handle("create", ({ payload }) => answer((account) => subscriptions.create(account, payload)), whole)
      .handle("get", ({ path }) => answer((account) => subscriptions.get(account, path.webhook_id)))
      .handle(
        "patch",
        ({ path, payload }) => answer((account) => subscriptions.patch(account, path.webhook_id, payload)),
        whole
      )
      .handle(
        "remove",
        ({ path }) => Effect.flatMap(Caller, ({ accountId }) => subscriptions.remove(accountId, path.webhook_id)),
        whole
      )
      .handle("rotateSecret", ({ path }) => answer((account) => subscriptions.rotate(account, path.webhook_id)), whole)
      .handle("ping", ({ path }) => answer((account) => ping(account, path.webhook_id)))
      .handle(
        "recover",
        ({ path: { webhook_id: webhook }, payload }) =>
          Effect.flatMap(Caller, ({ accountId }) =>
            Effect.map(deliveries.recover(accountId, webhook, payload.since), (recovered) =>
              accepted(Schema.encodeSync(Recovered)(recovered), logOf(webhook))
            )
          ),
        whole
      )
      .handle("deliveries", ({ path: { webhook_id: webhook }, urlParams }) =>
        Effect.gen(function* () {
          const { accountId } = yield* Caller
          const { cursor, event_type: eventType, limit, status } = urlParams
          yield* subscriptions.get(accountId, webhook)
          return yield* page(
            { cursor, limit, of: ["deliveries", webhook, status ?? "", eventType ?? ""] },
            (after, count) => deliveries.list({ after, count, eventType, status, webhook }),
            (delivery) => [delivery.created_at, delivery.id]
          )
        })
      )
      .handle("delivery", ({ path }) => answer((account) => deliveries.get(account, path.webhook_id, path.delivery_id)))
      .handle(
        "redeliver",
        ({ path: { delivery_id: id, webhook_id: webhook } }) =>
          Effect.flatMap(Caller, ({ accountId }) =>
            Effect.map(deliveries.redeliver(accountId, webhook, id), (delivery) =>
              accepted(delivery, `${logOf(webhook)}/${id}`)
            )
          ),
        whole
      )
  })
).pipe(Layer.provide([Deliveries.Default, Ping.Default, Subscriptions.Default]), Layer.merge(Metrics.layer))
