import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import { about, described } from "../../foundation/http/Contract.ts"
import { Created, IdempotencyHeaders } from "../../foundation/http/IdempotencyKey.ts"
import { Page, PageParameters } from "../../foundation/http/Pagination.ts"
import { body, Data, input } from "../../foundation/http/RequestSchemas.ts"
import { Moment } from "../../foundation/schema/Timestamp.ts"
import { WebhooksManage } from "../accounts/Authorized.ts"
import { EventId } from "../events/EventId.ts"
import { EventName } from "./Catalogue.ts"
import { Delivery, DeliveryStatus } from "./deliveries/Delivery.ts"
import { Recover, Recovered } from "./deliveries/Recovery.ts"
import { OfDelivery, OfWebhook } from "./PathIds.ts"
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
  status: Schema.optionalWith(DeliveryStatus, { exact: true }),
  event_type: Schema.optionalWith(EventName, { exact: true }),
  event_id: Schema.optionalWith(EventId.annotations({ message: () => "must be an event id" }), { exact: true }),
  since: Schema.optionalWith(Moment.annotations({ description: "Deliveries of this time and later" }), { exact: true }),
  until: Schema.optionalWith(Moment.annotations({ description: "Deliveries before this time" }), { exact: true })
})

const list = HttpApiEndpoint.get("list", "/webhooks")
  .annotateContext(
    described("List webhooks", "The caller's subscriptions, the oldest first (`created_at`, then `id`).")
  )
  .setUrlParams(input(Schema.Struct(PageParameters)))
  .addSuccess(Page(Subscription))
  .addError(failure("validation_error", "invalid_cursor"))
  .middleware(WebhooksManage)

const create = HttpApiEndpoint.post("create", "/webhooks")
  .annotateContext(
    described("Create a webhook", "Registers an address for events. The answer holds the signing secret, this once.")
  )
  .setHeaders(IdempotencyHeaders)
  .setPayload(body(CreateSubscription))
  .addSuccess(Created(SubscriptionWithSecret), { status: 201 })
  .addSuccess(Created(SubscriptionReplayed))
  .addError(failure("idempotency_conflict"))
  .addError(failure("validation_error"))
  .middleware(WebhooksManage)

const get = HttpApiEndpoint.get("get", "/webhooks/:webhook_id")
  .annotateContext(described("Read a webhook", "One subscription of the caller, without its secret."))
  .setPath(OfWebhook)
  .addSuccess(Data(Subscription))
  .addError(failure("not_found"))
  .middleware(WebhooksManage)

const patch = HttpApiEndpoint.patch("patch", "/webhooks/:webhook_id")
  .annotateContext(
    described(
      "Change a webhook",
      "Changes what is sent and leaves the rest as it is; `is_active: true` also takes back a deactivation."
    )
  )
  .setPath(OfWebhook)
  .setPayload(body(PatchSubscription))
  .addSuccess(Data(Subscription))
  .addError(failure("validation_error"))
  .addError(failure("not_found"))
  .middleware(WebhooksManage)

const remove = HttpApiEndpoint.del("remove", "/webhooks/:webhook_id")
  .annotateContext(described("Delete a webhook", "Deletes the subscription and its delivery log."))
  .setPath(OfWebhook)
  .addError(failure("not_found"))
  .middleware(WebhooksManage)

const rotateSecret = HttpApiEndpoint.post("rotateSecret", "/webhooks/:webhook_id/rotate-secret")
  .annotateContext(
    described(
      "Rotate the signing secret",
      "Makes a new secret and shows it this once. Deliveries are signed with the old one too for its own 24 hours, so with up to three; a third rotation in 24 hours is 409 and says when the next is possible."
    )
  )
  .setPath(OfWebhook)
  .setHeaders(IdempotencyHeaders)
  .addSuccess(Created(SubscriptionWithSecret))
  .addSuccess(Created(SubscriptionReplayed))
  .addError(failure("validation_error"))
  .addError(failure("not_found"))
  .addError(failure("conflict", "idempotency_conflict"))
  .middleware(WebhooksManage)

const ping = HttpApiEndpoint.post("ping", "/webhooks/:webhook_id/ping")
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

const recover = HttpApiEndpoint.post("recover", "/webhooks/:webhook_id/recover")
  .annotateContext(described("Send failed deliveries again", "Makes every failed delivery since a moment due again."))
  .setPath(OfWebhook)
  .setPayload(body(Recover))
  .addSuccess(Data(Recovered), { status: 202 })
  .addError(failure("validation_error"))
  .addError(failure("not_found"))
  .addError(failure("conflict"))
  .middleware(WebhooksManage)

const deliveries = HttpApiEndpoint.get("deliveries", "/webhooks/:webhook_id/deliveries")
  .annotateContext(
    described("List deliveries", "The delivery log of a subscription, the newest first (`created_at`, then `id`).")
  )
  .setPath(OfWebhook)
  .setUrlParams(input(Filters))
  .addSuccess(Page(Delivery))
  .addError(failure("validation_error", "invalid_cursor"))
  .addError(failure("not_found"))
  .middleware(WebhooksManage)

const delivery = HttpApiEndpoint.get("delivery", "/webhooks/:webhook_id/deliveries/:delivery_id")
  .annotateContext(described("Read a delivery", "One delivery with its attempts."))
  .setPath(OfDelivery)
  .addSuccess(Data(Delivery))
  .addError(failure("not_found"))
  .middleware(WebhooksManage)

const redeliver = HttpApiEndpoint.post("redeliver", "/webhooks/:webhook_id/deliveries/:delivery_id/redeliver")
  .annotateContext(described("Send a delivery again", "Makes one delivery due again, whether it was accepted or not."))
  .setPath(OfDelivery)
  .addSuccess(Data(Delivery), { status: 202 })
  .addError(failure("not_found"))
  .addError(failure("conflict"))
  .middleware(WebhooksManage)

/** Subscriptions to signed events, their delivery log, and sending again. */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .annotateContext(about("Subscriptions to events, and the log of their deliveries."))
  .add(list)
  .add(create)
  .add(get)
  .add(patch)
  .add(remove)
  .add(rotateSecret)
  .add(ping)
  .add(recover)
  .add(deliveries)
  .add(delivery)
  .add(redeliver)
  .prefix("/api/v1") {}
