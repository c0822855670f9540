import * as Config from "effect/Config"
import { between } from "../../../foundation/schema/Setting.ts"

/** Concurrent attempts of this process. */
export const DeliveriesAtOnce = Config.integer("FINDABLE_DELIVERIES_AT_ONCE").pipe(
  between(1, 10_000),
  Config.withDefault(256),
  Config.withDescription(
    "Webhook deliveries in progress per worker process. Slow and failing endpoints share four times as many separate slots"
  )
)

/** Days to keep events, with their deliveries and attempts, after the end of their last delivery. */
export const RetentionDays = Config.integer("FINDABLE_WEBHOOK_RETENTION_DAYS").pipe(
  between(1, 36_500),
  Config.withDefault(30),
  Config.withDescription("Days to keep webhook events and their delivery log, at least 1")
)
