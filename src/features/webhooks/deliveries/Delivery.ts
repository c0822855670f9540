import * as Schema from "effect/Schema"
import { Moment, Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { EventId } from "../../events/EventId.ts"
import { EventName } from "../Catalogue.ts"
import { DeliveryId, WebhookId } from "../Domain.ts"
import { Attempt } from "./Attempt.ts"

/** The state of a delivery: `pending` waits for its next attempt, `delivering` is being attempted, the other two are final. */
export const DeliveryStatus = Schema.Literal("pending", "delivering", "delivered", "failed").annotations({
  message: () => ({ message: "must be one of pending, delivering, delivered, failed", override: true })
})
export type DeliveryStatus = typeof DeliveryStatus.Type

/** Why a delivery has failed: no attempt of its schedule was accepted, or its subscription was deactivated before that. */
const FailureReason = Schema.Literal("attempts_exhausted", "webhook_deactivated")

/** One event on its way to one subscription, with every attempt made so far, the oldest first. */
export const Delivery = Schema.Struct({
  id: DeliveryId,
  webhook_id: WebhookId,
  event_id: EventId,
  event_type: EventName,
  status: DeliveryStatus,
  failure_reason: Schema.NullOr(FailureReason).annotations({ description: "Set when the status is `failed`" }),
  next_attempt_at: Schema.NullOr(Timestamp).annotations({ description: "Null once the delivery has ended" }),
  created_at: Timestamp,
  finished_at: Schema.NullOr(Timestamp),
  attempts: Schema.Array(Attempt)
}).annotations({ identifier: "WebhookDelivery" })
export type Delivery = typeof Delivery.Type

/** Body of `POST /webhooks/{id}/recover`. */
export const Recover = Schema.Struct({
  since: Moment.annotations({
    description: "Events of this time and later that are still kept are sent, unless they were accepted"
  })
}).annotations({ identifier: "RecoverWebhook" })
export type Recover = typeof Recover.Type

/** The answer to a recovery. */
export const Recovered = Schema.Struct({
  since: Moment,
  recovered: Schema.NonNegativeInt.annotations({ description: "Deliveries that were made due by this request" })
}).annotations({ identifier: "WebhookRecovery" })
export type Recovered = typeof Recovered.Type
