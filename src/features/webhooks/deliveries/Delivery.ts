import * as Schema from "effect/Schema"
import { field } from "../../../foundation/schema/Field.ts"
import { Moment, Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { EventId } from "../../events/EventId.ts"
import { catalogue, EventType } from "../Catalogue.ts"
import { DeliveryId, WebhookId } from "../Domain.ts"
import { Attempt } from "./Attempt.ts"

/** The state of a delivery: `pending` waits for its next attempt, `delivering` is being attempted, the other two are final. */
export const DeliveryStatus = Schema.Literal("pending", "delivering", "delivered", "failed")
  .annotations({
    message: () => ({ message: "must be one of pending, delivering, delivered, failed", override: true })
  })
  .annotations({
    identifier: "WebhookDeliveryStatus",
    description:
      "`pending` waits for its next attempt, `delivering` is being attempted, `delivered` and `failed` are final"
  })
export type DeliveryStatus = typeof DeliveryStatus.Type

/** Why a delivery has failed: no attempt of its schedule was accepted, or its subscription was deactivated before that. */
const FailureReason = Schema.Literal("attempts_exhausted", "webhook_deactivated")

/** One event on its way to one subscription, with every attempt made so far, the oldest first. */
export const Delivery = Schema.Struct({
  id: DeliveryId.annotations({ description: "Id of the delivery, `dlv_…`" }),
  webhook_id: WebhookId.annotations({ description: "Id of the webhook" }),
  event_id: EventId.annotations({ description: "Id of the event, the same in every delivery of it" }),
  event_type: field(EventType, "Type of the event"),
  test: Schema.Boolean.annotations({
    description:
      "Whether it is a test delivery, which was asked for: its event did not happen and is not among `/events`"
  }),
  status: field(DeliveryStatus, "Where it stands"),
  failure_reason: Schema.NullOr(FailureReason).annotations({ description: "Set when the status is `failed`" }),
  next_attempt_at: Schema.NullOr(Timestamp).annotations({ description: "Null once the delivery has ended" }),
  created_at: field(Timestamp, "When it was queued"),
  finished_at: Schema.NullOr(Timestamp).annotations({
    description: "When it was accepted or failed; null before that"
  }),
  attempts: Schema.Array(Attempt).annotations({ description: "Every attempt so far, the oldest first" })
}).annotations({ identifier: "WebhookDelivery", description: "One event on its way to one webhook" })
export type Delivery = typeof Delivery.Type

/** Body of `POST /webhooks/{id}/test`; the use case refuses an unknown type, since it names the nearest one. */
export const TestDelivery = Schema.Struct({
  type: Schema.String.annotations({
    description: "Type whose example is sent, whether the webhook lists it or not; `GET /event-types` lists all",
    jsonSchema: { enum: catalogue.map(({ type }) => type), type: "string" },
    message: () => "must be the name of a type of event"
  })
}).annotations({ identifier: "TestWebhook", description: "What to send" })

/** Body of `POST /webhooks/{id}/recover`. */
export const Recover = Schema.Struct({
  since: Moment.annotations({
    description: "Events of this time and later that are still kept are sent, unless they were accepted"
  })
}).annotations({ identifier: "RecoverWebhook", description: "From when on failed deliveries are sent again" })
export type Recover = typeof Recover.Type

/** The answer to a recovery. */
export const Recovered = Schema.Struct({
  since: Moment.annotations({ description: "The moment of the request, in UTC" }),
  recovered: Schema.NonNegativeInt.annotations({ description: "Deliveries that were made due by this request" })
}).annotations({ identifier: "WebhookRecovery", description: "What a recovery made due again" })
export type Recovered = typeof Recovered.Type
