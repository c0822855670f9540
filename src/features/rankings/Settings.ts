import * as Config from "effect/Config"
import { between } from "../../foundation/schema/Setting.ts"

/** Days of each of the two windows that rankings compare: a week by default, so both windows have equal weekdays. */
export const WindowDays = Config.integer("FINDABLE_RANKING_WINDOW_DAYS").pipe(
  between(1, 90),
  Config.withDefault(7),
  Config.withDescription("Days of each of the two periods that rankings compare, 1 to 90")
)

/** Whole months of search data that are kept beside the current month; none: all. */
export const RetentionMonths = Config.option(
  Config.integer("FINDABLE_RANKING_RETENTION_MONTHS").pipe(between(2, 1200))
).pipe(
  Config.withDescription(
    "Months of search data to keep besides the current month, at least 2. Older months are removed. Empty: no limit"
  )
)

/** The most bytes of a file that a caller sends for import. */
export const MaxBytes = Config.integer("FINDABLE_IMPORT_MAX_BYTES").pipe(
  between(1, 1024 ** 4),
  Config.withDefault(1_073_741_824),
  Config.withDescription("Most bytes of a search data file that the API accepts")
)
