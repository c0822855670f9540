/** Platform adapter: environment, role and signals of the process. */
import * as Config from "effect/Config"

/** Names of the environment variables. */
export const variableNames = (): ReadonlyArray<string> => Object.keys(process.env)

/** Watches for SIGINT and SIGTERM; the function says whether one has come. */
export const watchSignals = (): (() => boolean) => {
  let isSignalled = false
  const note = () => {
    isSignalled = true
  }
  process.once("SIGINT", note)
  process.once("SIGTERM", note)
  return () => isSignalled
}

/** Whether this node answers requests, works, or both. */
export const Role = Config.literal(
  "all",
  "api",
  "worker"
)("FINDABLE_ROLE").pipe(
  Config.withDefault("all" as const),
  Config.withDescription("what this node does: `api` answers requests, `worker` crawls and delivers, `all` does both")
)
