import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Day from "../../foundation/schema/Day.ts"

/** Search Console counts days in this time zone. */
const zone = DateTime.zoneUnsafeMakeNamed("America/Los_Angeles")

/** Days after which the numbers of a day no longer change. */
export const lag = 3

const dayOf = (moment: DateTime.DateTime): string => DateTime.formatIsoDate(DateTime.setZone(moment, zone))

/** Today in Pacific time. */
export const today: Effect.Effect<Day.DayNumber> = Effect.map(DateTime.now, (now) => Day.of(dayOf(now)))

/** The day of a moment in Pacific time. */
export const dayAt = (moment: DateTime.DateTime): Day.DayNumber => Day.of(dayOf(moment))

/** The newest day whose numbers are final, `YYYY-MM-DD`: three days before today in Pacific time. */
export const newestFinalDay: Effect.Effect<string> = Effect.map(today, (day) => Day.format(day - lag))

/** The moment from which the numbers of a day are final: the first of the third day behind it, in Pacific time. */
export const finalFrom = (day: Day.DayNumber): DateTime.Utc =>
  DateTime.toUtc(
    Option.getOrThrow(DateTime.makeZoned(Day.format(day + lag), { adjustForTimeZone: true, timeZone: zone }))
  )
