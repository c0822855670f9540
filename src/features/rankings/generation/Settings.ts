import * as Config from "effect/Config"
import { between } from "../../../foundation/schema/Setting.ts"

/** Days of each of the two windows that rankings compare: a week by default, so that both hold the same weekdays. */
export const WindowDays = Config.integer("FINDABLE_RANKING_WINDOW_DAYS").pipe(
  between(1, 90),
  Config.withDefault(7),
  Config.withDescription("days of each of the two windows that rankings compare, 1 to 90")
)
