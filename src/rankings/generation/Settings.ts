import * as Config from "effect/Config"

/** Days of each of the two windows that rankings compare: a week by default, so that both hold the same weekdays. */
export const WindowDays = Config.integer("FINDABLE_RANKING_WINDOW_DAYS").pipe(
  Config.withDefault(7),
  Config.validate({ message: "must be from 1 to 90", validation: (days) => days >= 1 && days <= 90 }),
  Config.withDescription("days of each of the two windows that rankings compare, 1 to 90")
)
