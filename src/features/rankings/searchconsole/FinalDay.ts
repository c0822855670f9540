import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"

/** Search Console counts days in this time zone. */
const zone = DateTime.zoneUnsafeMakeNamed("America/Los_Angeles")

/** Days after which the numbers of a day no longer change. */
const lag = 3

/** The newest day whose numbers are final, `YYYY-MM-DD`: three days before today in Pacific time. */
export const newest: Effect.Effect<string> = Effect.map(DateTime.now, (now) =>
  DateTime.formatIsoDate(DateTime.subtract(DateTime.setZone(now, zone), { days: lag }))
)
