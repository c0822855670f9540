import * as Config from "effect/Config"
import { between } from "../../../foundation/schema/Setting.ts"

/** Attempts that this process has under way at once. */
export const DeliveriesAtOnce = Config.integer("FINDABLE_DELIVERIES_AT_ONCE").pipe(
  between(1, 10_000),
  Config.withDefault(256),
  Config.withDescription(
    "webhook deliveries that a worker process attempts at once; four times as many besides for receivers that are slow or fail"
  )
)

/** Days for which events, their deliveries and attempts are kept after the last of the deliveries has ended. */
export const RetentionDays = Config.integer("FINDABLE_WEBHOOK_RETENTION_DAYS").pipe(
  between(1, 36_500),
  Config.withDefault(30),
  Config.withDescription("days for which webhook events and their delivery log are kept, at least 1")
)
