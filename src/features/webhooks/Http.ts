import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { jsonResponse } from "../../foundation/http/Request.ts"
import { answer, byCreation, forCaller, listPage, whole } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/Idempotency.ts"
import { WebhooksApi } from "./Api.ts"
import type { WebhookId } from "./Domain.ts"
import { Deliveries } from "./deliveries/Deliveries.ts"
import { Recovered } from "./deliveries/Delivery.ts"
import * as RecordOutcome from "./deliveries/RecordOutcome.ts"
import { Tests } from "./deliveries/Tests.ts"
import { Ping } from "./subscriptions/Ping.ts"
import { SubscriptionWithSecret } from "./subscriptions/Subscription.ts"
import { Subscriptions } from "./subscriptions/Subscriptions.ts"

/** 202 for queued deliveries; `Location` is the URL to poll. */
const accepted = (data: unknown, location: string) => jsonResponse({ data }, { headers: { location }, status: 202 })

const locationOf = (webhook: WebhookId) => `/api/v1/webhooks/${webhook}`

const logOf = (webhook: WebhookId) => `${locationOf(webhook)}/deliveries`

export const layer = HttpApiBuilder.group(apiRoot.add(WebhooksApi), "webhooks", (handlers) =>
  Effect.gen(function* () {
    const { creating } = yield* IdempotentCreate
    const { ping } = yield* Ping
    const deliveries = yield* Deliveries
    const subscriptions = yield* Subscriptions
    const tests = yield* Tests
    return handlers
      .handle("list", ({ urlParams }) => listPage({ ...urlParams, of: ["webhooks"] }, subscriptions.list, byCreation))
      .handle(
        "create",
        (request) =>
          creating(
            request,
            (account) =>
              Effect.map(subscriptions.add(account, request.payload), (webhook) => ({
                data: Schema.encodeSync(SubscriptionWithSecret)(webhook),
                location: locationOf(webhook.id)
              })),
            subscriptions.checkAddress(request.payload.url)
          ),
        whole
      )
      .handle("get", ({ path }) => answer((account) => subscriptions.get(account, path.webhook_id)))
      .handle(
        "patch",
        ({ path, payload }) => answer((account) => subscriptions.patch(account, path.webhook_id, payload)),
        whole
      )
      .handle("remove", ({ path }) => forCaller((account) => subscriptions.remove(account, path.webhook_id)), whole)
      .handle(
        "rotateSecret",
        ({ headers, path: { webhook_id: webhook } }) =>
          creating({ headers, payload: undefined }, (account) =>
            Effect.map(subscriptions.rotate(account, webhook), (rotated) => ({
              changed: true,
              data: Schema.encodeSync(SubscriptionWithSecret)(rotated),
              location: locationOf(webhook)
            }))
          ),
        whole
      )
      .handle("ping", ({ path, payload }) => answer((account) => ping(account, path.webhook_id, payload)))
      .handle(
        "test",
        ({ headers, path: { webhook_id: webhook }, payload }) =>
          creating({ headers, payload }, (account) =>
            Effect.map(tests.send(account, webhook, payload.type), (delivery) => ({
              accepted: true,
              data: delivery,
              location: `${logOf(webhook)}/${delivery.id}`
            }))
          ),
        whole
      )
      .handle(
        "recover",
        ({ path: { webhook_id: webhook }, payload }) =>
          Effect.map(
            forCaller((account) => deliveries.recover(account, webhook, payload.since)),
            (recovered) => accepted(Schema.encodeSync(Recovered)(recovered), logOf(webhook))
          ),
        whole
      )
      .handle("deliveries", ({ path: { webhook_id: webhook }, urlParams }) => {
        const { cursor, event_id: event, event_type: eventType, limit, since, status, until } = urlParams
        const times = [since, until].map((time) => (time === undefined ? "" : DateTime.formatIso(time)))
        return listPage(
          { cursor, limit, of: ["deliveries", webhook, status ?? "", eventType ?? "", event ?? "", ...times] },
          (account, batch) => deliveries.list(account, webhook, { event, eventType, since, status, until }, batch),
          byCreation
        )
      })
      .handle("allDeliveries", ({ urlParams: { cursor, limit, status } }) =>
        listPage(
          { cursor, limit, of: ["all deliveries", status ?? ""] },
          (account, batch) => deliveries.listAll(account, status, batch),
          byCreation
        )
      )
      .handle("delivery", ({ path }) => answer((account) => deliveries.get(account, path.webhook_id, path.delivery_id)))
      .handle(
        "redeliver",
        ({ path: { delivery_id: id, webhook_id: webhook } }) =>
          Effect.map(
            forCaller((account) => deliveries.redeliver(account, webhook, id)),
            (delivery) => accepted(delivery, `${logOf(webhook)}/${id}`)
          ),
        whole
      )
  })
).pipe(
  Layer.provide([IdempotentCreate.Default, Deliveries.Default, Ping.Default, Subscriptions.Default, Tests.Default]),
  Layer.merge(RecordOutcome.layer)
)
