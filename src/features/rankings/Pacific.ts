import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Day from "../../foundation/schema/Day.ts"

/** Search Console counts days in this time zone. */
const zone = DateTime.zoneUnsafeMakeNamed("America/Los_Angeles")

const local = (moment: DateTime.DateTime) => DateTime.setZone(moment, zone)

/** The day of a moment, `YYYY-MM-DD`. */
export const dayOf = (moment: DateTime.DateTime): string => DateTime.formatIsoDate(local(moment))

/** Seconds that the clock shows after midnight. */
export const clockOf = (moment: DateTime.DateTime): number => {
  const { hours, minutes, seconds } = DateTime.toParts(local(moment))
  return 3600 * hours + 60 * minutes + seconds
}

/** The first moment of a day. */
export const startOf = (day: Day.DayNumber): DateTime.Utc =>
  DateTime.toUtc(Option.getOrThrow(DateTime.makeZoned(Day.format(day), { adjustForTimeZone: true, timeZone: zone })))

/** Hours of a day: 24, but 23 when the clocks are put forward in spring, and 25 when they are put back in autumn. */
export const hoursOf = (day: Day.DayNumber): number => DateTime.distance(startOf(day), startOf(day + 1)) / 3_600_000
