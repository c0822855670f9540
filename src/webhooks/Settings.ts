import * as Config from "effect/Config"

/** Attempts that this process has under way at once. */
export const DeliveriesAtOnce = Config.integer("FINDABLE_DELIVERIES_AT_ONCE").pipe(
  Config.withDefault(256),
  Config.withDescription(
    "webhook deliveries that a worker process attempts at once; as many again at most for failing receivers"
  )
)
