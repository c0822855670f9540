import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import { failure } from "../../foundation/http/ApiError.ts"
import {
  about,
  body,
  Created,
  change,
  Data,
  described,
  IdempotencyHeaders,
  input,
  list,
  read,
  remove
} from "../../foundation/http/Contract.ts"
import { WebhooksManage, WebhooksRead } from "../accounts/Authorized.ts"
import { OfDelivery, OfWebhook } from "./Domain.ts"
import {
  Delivery,
  DeliveryWithRequest,
  Filters,
  OfStatus,
  Recover,
  Recovered,
  TestDelivery
} from "./deliveries/Delivery.ts"
import {
  CreateSubscription,
  PatchSubscription,
  PingRequest,
  PingResult,
  Subscription,
  SubscriptionReplayed,
  SubscriptionWithSecret
} from "./subscriptions/Subscription.ts"

/** Subscriptions to signed events, their delivery log, and sending again. */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .annotateContext(about("Subscriptions to events, and the log of their deliveries."))
  .add(
    list("list", "/webhooks", {
      summary: "List webhooks",
      description: "The caller's subscriptions, the oldest first (`created_at`, then `id`).",
      of: Subscription,
      scope: WebhooksRead
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
      scope: WebhooksRead
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
    HttpApiEndpoint.post("test", "/webhooks/:webhook_id/test")
      .annotateContext(
        described(
          "Send the example of an event",
          'Queues a delivery of a type\'s example to this subscription alone, whether it lists the type or not: attempted, signed, logged and sent again like any other. Its body has `"test": true` beside `type`, and its event is not among `/events`. A test that fails does not count towards deactivation; an inactive subscription is 409.'
        )
      )
      .setPath(OfWebhook)
      .setHeaders(IdempotencyHeaders)
      .setPayload(body(TestDelivery))
      .addSuccess(Created(Delivery), { status: 202 })
      .addSuccess(Created(Delivery))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "idempotency_conflict"))
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
      scope: WebhooksRead
    })
      .setPath(OfWebhook)
      .setUrlParams(input(Filters))
      .addError(failure("not_found"))
  )
  .add(
    read("delivery", "/webhooks/:webhook_id/deliveries/:delivery_id", {
      summary: "Read a delivery",
      description:
        "One delivery with its attempts, and with the request of the newest one: headers and body as they were sent.",
      ids: OfDelivery,
      of: DeliveryWithRequest,
      scope: WebhooksRead
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
  .add(
    list("allDeliveries", "/deliveries", {
      summary: "List all deliveries",
      description:
        "The deliveries of all subscriptions of the account, the newest first (`created_at`, then `id`), as their own logs have them.",
      of: Delivery,
      scope: WebhooksRead
    }).setUrlParams(input(OfStatus))
  )
  .prefix("/api/v1") {}
