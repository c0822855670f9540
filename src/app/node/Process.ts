/** Platform adapter: environment, role and signals of the process. */
import * as Config from "effect/Config"

/** Names of the environment variables. */
export const variableNames = (): ReadonlyArray<string> => Object.keys(process.env)

/**
 * Watches for SIGINT and SIGTERM; the function says whether one has come. Ctrl-C reaches a process twice where a program that started it, such as npm, passes
 * the signal on, so it is watched for to the end: the second would otherwise kill the process in the midst of its stop.
 */
export const watchSignals = (): (() => boolean) => {
  let isSignalled = false
  const note = () => {
    isSignalled = true
  }
  process.on("SIGINT", note)
  process.on("SIGTERM", note)
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
