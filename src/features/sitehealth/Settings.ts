import * as Config from "effect/Config"
import { between } from "../../foundation/schema/Setting.ts"

/** Runs that this process executes at once. */
export const RunsAtOnce = Config.integer("FINDABLE_RUNS_AT_ONCE").pipe(
  between(1, 100),
  Config.withDefault(4),
  Config.withDescription("site health runs that a worker process executes at once")
)

/** Days for which runs are kept after their end; none: for good. */
export const RunRetentionDays = Config.option(
  Config.integer("FINDABLE_RUN_RETENTION_DAYS").pipe(between(1, 36_500))
).pipe(
  Config.withDescription(
    "days for which site health runs are kept after their end, at least 1; runs that others are compared with stay. Empty: no limit"
  )
)
