import * as Config from "effect/Config"

/** Whether this node answers requests, works, or both. */
export const Role = Config.literal(
  "all",
  "api",
  "worker"
)("FINDABLE_ROLE").pipe(
  Config.withDefault("all" as const),
  Config.withDescription("what this node does: `api` answers requests, `worker` crawls and delivers, `all` does both")
)
