import * as Schema from "effect/Schema"
import { Moment } from "../../../foundation/schema/Timestamp.ts"

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
