import * as Config from "effect/Config"
import { between } from "../../foundation/schema/Setting.ts"

/** Concurrent runs of this process. */
export const RunsAtOnce = Config.integer("FINDABLE_RUNS_AT_ONCE").pipe(
  between(1, 100),
  Config.withDefault(4),
  Config.withDescription("Crawls in progress per worker process")
)

/** Days to keep runs after their end; default is forever. */
export const RunRetentionDays = Config.option(
  Config.integer("FINDABLE_RUN_RETENTION_DAYS").pipe(between(1, 36_500))
).pipe(
  Config.withDescription("Days to keep finished crawls, at least 1. Baselines of later crawls stay. Empty: no limit")
)
