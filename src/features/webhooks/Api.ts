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

/** Endpoints for signed events, their delivery log, and resending. */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .annotateContext(about("Endpoints that receive events, and the log of deliveries."))
  .add(
    list("list", "/webhooks", {
      summary: "List endpoints",
      description: "Endpoints of your account, oldest first (`created_at`, then `id`).",
      of: Subscription,
      scope: WebhooksRead
    })
  )
  .add(
    HttpApiEndpoint.post("create", "/webhooks")
      .annotateContext(
        described("Add an endpoint", "Adds a URL that receives events. Only this response has the signing secret.")
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
      summary: "Get an endpoint",
      description: "Returns one endpoint, without its secret.",
      ids: OfWebhook,
      of: Subscription,
      scope: WebhooksRead
    })
  )
  .add(
    change("patch", "/webhooks/:webhook_id", {
      summary: "Update an endpoint",
      description: "Changes the fields that you send. `is_active: true` enables a disabled endpoint again.",
      ids: OfWebhook,
      of: Subscription,
      payload: PatchSubscription,
      scope: WebhooksManage
    })
  )
  .add(
    remove("remove", "/webhooks/:webhook_id", {
      summary: "Delete an endpoint",
      description: "Deletes the endpoint and its delivery log.",
      ids: OfWebhook,
      scope: WebhooksManage
    })
  )
  .add(
    HttpApiEndpoint.post("rotateSecret", "/webhooks/:webhook_id/rotate-secret")
      .annotateContext(
        described(
          "Rotate the signing secret",
          "Creates a new secret; only this response has it. For 24 hours, deliveries are also signed with the old secrets, up to three in total. A third rotation within 24 hours returns 409 and says when the next one is possible."
        )
      )
      .setPath(OfWebhook)
      .setHeaders(IdempotencyHeaders)
      .addSuccess(
        Created(SubscriptionWithSecret).annotations({
          identifier: "RotatedSecret",
          description: "The endpoint with its new secret"
        })
      )
      .addSuccess(
        Created(SubscriptionReplayed).annotations({
          identifier: "RotatedSecretReplayed",
          description: "The result of the first rotation with this Idempotency-Key; it includes the secret for a day"
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
          "Ping an endpoint",
          "Sends a signed `webhook.ping` to the endpoint and reports the response and timing. Findable does not retry it. Disabled endpoints can be pinged."
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
          "Send a test event",
          'Sends the example of an event type to this endpoint, whether it subscribes to the type or not. Findable signs, logs and retries it like any delivery. The body has `"test": true`, and the event is not in `/events`. Failed tests do not disable the endpoint. Returns 409 for a disabled endpoint.'
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
      .annotateContext(described("Resend failed deliveries", "Resends every delivery that failed since a given time."))
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
      description: "Deliveries to one endpoint, latest first (`created_at`, then `id`).",
      of: Delivery,
      scope: WebhooksRead
    })
      .setPath(OfWebhook)
      .setUrlParams(input(Filters))
      .addError(failure("not_found"))
  )
  .add(
    read("delivery", "/webhooks/:webhook_id/deliveries/:delivery_id", {
      summary: "Get a delivery",
      description: "Returns one delivery with its attempts, and the headers and body of the latest attempt as sent.",
      ids: OfDelivery,
      of: DeliveryWithRequest,
      scope: WebhooksRead
    })
  )
  .add(
    HttpApiEndpoint.post("redeliver", "/webhooks/:webhook_id/deliveries/:delivery_id/redeliver")
      .annotateContext(described("Resend a delivery", "Resends one delivery, whether it was accepted or not."))
      .setPath(OfDelivery)
      .addSuccess(Data(Delivery), { status: 202 })
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .middleware(WebhooksManage)
  )
  .add(
    list("allDeliveries", "/deliveries", {
      summary: "List all deliveries",
      description: "Deliveries to all endpoints of your account, latest first (`created_at`, then `id`).",
      of: Delivery,
      scope: WebhooksRead
    }).setUrlParams(input(OfStatus))
  )
  .prefix("/api/v1") {}
