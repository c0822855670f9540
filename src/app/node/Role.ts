import * as Config from "effect/Config"

/** What this node does: answer requests, work, or both. */
export const Role = Config.literal(
  "all",
  "api",
  "worker"
)("FINDABLE_ROLE").pipe(
  Config.withDefault("all" as const),
  Config.withDescription("what this node does: `api` answers requests, `worker` crawls and delivers, `all` does both")
)
