import * as Config from "effect/Config"
import { between } from "../../../foundation/schema/Setting.ts"

/** Whole months of search data that are kept beside the one that is under way; none: all. */
export const RetentionMonths = Config.option(
  Config.integer("FINDABLE_RANKING_RETENTION_MONTHS").pipe(between(2, 1200))
).pipe(
  Config.withDescription(
    "months of search data that are kept beside the current one, at least 2; older ones are removed. Empty: all are kept"
  )
)
