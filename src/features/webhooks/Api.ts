import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import { about, described } from "../../foundation/http/Contract.ts"
import { change, list, read, remove } from "../../foundation/http/Endpoints.ts"
import { Created, IdempotencyHeaders } from "../../foundation/http/IdempotencyKey.ts"
import { PageParameters } from "../../foundation/http/Pagination.ts"
import { body, Data, input } from "../../foundation/http/RequestSchemas.ts"
import { Moment } from "../../foundation/schema/Timestamp.ts"
import { WebhooksManage } from "../accounts/Authorized.ts"
import { EventId } from "../events/EventId.ts"
import { EventName } from "./Catalogue.ts"
import { OfDelivery, OfWebhook } from "./Domain.ts"
import { Delivery, DeliveryStatus, Recover, Recovered } from "./deliveries/Delivery.ts"
import { PingRequest, PingResult } from "./subscriptions/PingResult.ts"
import {
  CreateSubscription,
  PatchSubscription,
  Subscription,
  SubscriptionReplayed,
  SubscriptionWithSecret
} from "./subscriptions/Subscription.ts"

const Filters = Schema.Struct({
  ...PageParameters,
  status: Schema.optionalWith(DeliveryStatus, { exact: true }).annotations({
    description: "Only deliveries in this state"
  }),
  event_type: Schema.optionalWith(EventName, { exact: true }).annotations({
    description: "Only deliveries of events of this type"
  }),
  event_id: Schema.optionalWith(EventId.annotations({ message: () => "must be an event id" }), {
    exact: true
  }).annotations({ description: "Only deliveries of this event, `evt_…`" }),
  since: Schema.optionalWith(Moment.annotations({ description: "Deliveries of this time and later" }), { exact: true }),
  until: Schema.optionalWith(Moment.annotations({ description: "Deliveries before this time" }), { exact: true })
})

/** Subscriptions to signed events, their delivery log, and sending again. */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .annotateContext(about("Subscriptions to events, and the log of their deliveries."))
  .add(
    list("list", "/webhooks", {
      summary: "List webhooks",
      description: "The caller's subscriptions, the oldest first (`created_at`, then `id`).",
      of: Subscription,
      scope: WebhooksManage
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/webhooks")
      .annotateContext(
        described("Create a webhook", "Registers an address for events. Only this answer contains the signing secret.")
      )
      .setHeaders(IdempotencyHeaders)
      .setPayload(body(CreateSubscription))
      .addSuccess(Created(SubscriptionWithSecret), { status: 201 })
      .addSuccess(Created(SubscriptionReplayed))
      .addError(failure("idempotency_conflict"))
      .addError(failure("validation_error"))
      .middleware(WebhooksManage)
  )
  .add(
    read("get", "/webhooks/:webhook_id", {
      summary: "Read a webhook",
      description: "One subscription of the caller, without its secret.",
      ids: OfWebhook,
      of: Subscription,
      scope: WebhooksManage
    })
  )
  .add(
    change("patch", "/webhooks/:webhook_id", {
      summary: "Change a webhook",
      description:
        "Changes what is sent and leaves the rest as it is; `is_active: true` also takes back a deactivation.",
      ids: OfWebhook,
      of: Subscription,
      payload: PatchSubscription,
      scope: WebhooksManage
    })
  )
  .add(
    remove("remove", "/webhooks/:webhook_id", {
      summary: "Delete a webhook",
      description: "Deletes the subscription and its delivery log.",
      ids: OfWebhook,
      scope: WebhooksManage
    })
  )
  .add(
    HttpApiEndpoint.post("rotateSecret", "/webhooks/:webhook_id/rotate-secret")
      .annotateContext(
        described(
          "Rotate the signing secret",
          "Creates a new secret, shown only in this answer. Deliveries are signed with each old secret too for 24 hours, so with up to three; a third rotation in 24 hours is 409 and says when the next is possible."
        )
      )
      .setPath(OfWebhook)
      .setHeaders(IdempotencyHeaders)
      .addSuccess(
        Created(SubscriptionWithSecret).annotations({
          identifier: "RotatedSecret",
          description: "The webhook with its new secret"
        })
      )
      .addSuccess(
        Created(SubscriptionReplayed).annotations({
          identifier: "RotatedSecretReplayed",
          description: "The answer to a rotation that is sent again: the secret is in it for a day"
        })
      )
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "idempotency_conflict"))
      .middleware(WebhooksManage)
  )
  .add(
    HttpApiEndpoint.post("ping", "/webhooks/:webhook_id/ping")
      .annotateContext(
        described(
          "Send a test delivery",
          "Sends a signed `webhook.ping` to the address and reports what came back and how long it took. It is not retried; inactive subscriptions can be pinged."
        )
      )
      .setPath(OfWebhook)
      .setPayload(body(PingRequest))
      .addSuccess(Data(PingResult))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(WebhooksManage)
  )
  .add(
    HttpApiEndpoint.post("recover", "/webhooks/:webhook_id/recover")
      .annotateContext(
        described("Send failed deliveries again", "Makes every failed delivery since a moment due again.")
      )
      .setPath(OfWebhook)
      .setPayload(body(Recover))
      .addSuccess(Data(Recovered), { status: 202 })
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .middleware(WebhooksManage)
  )
  .add(
    list("deliveries", "/webhooks/:webhook_id/deliveries", {
      summary: "List deliveries",
      description: "The delivery log of a subscription, the newest first (`created_at`, then `id`).",
      of: Delivery,
      scope: WebhooksManage
    })
      .setPath(OfWebhook)
      .setUrlParams(input(Filters))
      .addError(failure("not_found"))
  )
  .add(
    read("delivery", "/webhooks/:webhook_id/deliveries/:delivery_id", {
      summary: "Read a delivery",
      description: "One delivery with its attempts.",
      ids: OfDelivery,
      of: Delivery,
      scope: WebhooksManage
    })
  )
  .add(
    HttpApiEndpoint.post("redeliver", "/webhooks/:webhook_id/deliveries/:delivery_id/redeliver")
      .annotateContext(
        described("Send a delivery again", "Makes one delivery due again, whether it was accepted or not.")
      )
      .setPath(OfDelivery)
      .addSuccess(Data(Delivery), { status: 202 })
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .middleware(WebhooksManage)
  )
  .prefix("/api/v1") {}
