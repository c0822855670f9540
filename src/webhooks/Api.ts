import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { WebhooksManage } from "../accounts/Authorized.ts"
import { failure } from "../http/Failure.ts"
import { Page, PageParameters } from "../http/Pagination.ts"
import { Data, input } from "../http/Wire.ts"
import { EventName } from "./Catalogue.ts"
import { Delivery, DeliveryStatus } from "./deliveries/Delivery.ts"
import { Recover, Recovered } from "./deliveries/Recovery.ts"
import { OfDelivery, OfWebhook } from "./PathIds.ts"
import { PingResult } from "./subscriptions/PingResult.ts"
import {
  CreateSubscription,
  PatchSubscription,
  Subscription,
  SubscriptionWithSecret
} from "./subscriptions/Subscription.ts"

const Filters = Schema.Struct({
  ...PageParameters,
  status: Schema.optionalWith(DeliveryStatus, { exact: true }),
  event_type: Schema.optionalWith(EventName, { exact: true })
})

const list = HttpApiEndpoint.get("list", "/webhooks")
  .setUrlParams(input(Schema.Struct(PageParameters)))
  .addSuccess(Page(Subscription))
  .addError(failure("validation_error", "invalid_cursor"))
  .middleware(WebhooksManage)

const create = HttpApiEndpoint.post("create", "/webhooks")
  .setPayload(input(CreateSubscription))
  .addSuccess(Data(SubscriptionWithSecret), { status: 201 })
  .addError(failure("validation_error"))
  .middleware(WebhooksManage)

const get = HttpApiEndpoint.get("get", "/webhooks/:webhook_id")
  .setPath(OfWebhook)
  .addSuccess(Data(Subscription))
  .addError(failure("not_found"))
  .middleware(WebhooksManage)

const patch = HttpApiEndpoint.patch("patch", "/webhooks/:webhook_id")
  .setPath(OfWebhook)
  .setPayload(input(PatchSubscription))
  .addSuccess(Data(Subscription))
  .addError(failure("validation_error"))
  .addError(failure("not_found"))
  .middleware(WebhooksManage)

const remove = HttpApiEndpoint.del("remove", "/webhooks/:webhook_id")
  .setPath(OfWebhook)
  .addError(failure("not_found"))
  .middleware(WebhooksManage)

const rotateSecret = HttpApiEndpoint.post("rotateSecret", "/webhooks/:webhook_id/rotate-secret")
  .setPath(OfWebhook)
  .addSuccess(Data(SubscriptionWithSecret))
  .addError(failure("not_found"))
  .middleware(WebhooksManage)

const ping = HttpApiEndpoint.post("ping", "/webhooks/:webhook_id/ping")
  .setPath(OfWebhook)
  .addSuccess(Data(PingResult))
  .addError(failure("not_found"))
  .middleware(WebhooksManage)

const recover = HttpApiEndpoint.post("recover", "/webhooks/:webhook_id/recover")
  .setPath(OfWebhook)
  .setPayload(input(Recover))
  .addSuccess(Data(Recovered), { status: 202 })
  .addError(failure("validation_error"))
  .addError(failure("not_found"))
  .addError(failure("conflict"))
  .middleware(WebhooksManage)

const deliveries = HttpApiEndpoint.get("deliveries", "/webhooks/:webhook_id/deliveries")
  .setPath(OfWebhook)
  .setUrlParams(input(Filters))
  .addSuccess(Page(Delivery))
  .addError(failure("validation_error", "invalid_cursor"))
  .addError(failure("not_found"))
  .middleware(WebhooksManage)

const delivery = HttpApiEndpoint.get("delivery", "/webhooks/:webhook_id/deliveries/:delivery_id")
  .setPath(OfDelivery)
  .addSuccess(Data(Delivery))
  .addError(failure("not_found"))
  .middleware(WebhooksManage)

const redeliver = HttpApiEndpoint.post("redeliver", "/webhooks/:webhook_id/deliveries/:delivery_id/redeliver")
  .setPath(OfDelivery)
  .addSuccess(Data(Delivery), { status: 202 })
  .addError(failure("not_found"))
  .addError(failure("conflict"))
  .middleware(WebhooksManage)

/** Subscriptions to signed events, their delivery log, and sending again. */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
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
