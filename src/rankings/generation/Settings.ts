import * as Config from "effect/Config"
import * as Windows from "../Windows.ts"

/** Days of each of the two windows that rankings compare. */
export const WindowDays = Config.integer("FINDABLE_RANKING_WINDOW_DAYS").pipe(
  Config.withDefault(Windows.defaultLength),
  Config.validate({ message: "must be from 1 to 90", validation: (days) => days >= 1 && days <= 90 }),
  Config.withDescription("days of each of the two windows that rankings compare, 1 to 90")
)
