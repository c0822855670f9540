import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Day from "../../../foundation/schema/Day.ts"
import { clockOf, dayOf, startOf } from "../Pacific.ts"
import type { Time } from "../RawRow.ts"

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

/** `Oct 1, 2026` and `October 1, 2026`, as spreadsheets write days in English. */
const named = /^([A-Za-z]{3,9})\.? (\d{1,2}), (\d{4})$/

/** Year, month and day without separators, with hyphens or with slashes, followed by a time. */
const numeric =
  /^(\d{4})(-|\/|)(\d{2})\2(\d{2})(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(Z| ?UTC|[+-]\d{2}(?::?\d{2})?)?)?$/

/** Days with ambiguous first two numbers: either may be the month. */
const ambiguous = /^\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}$/

/** A day as `YYYY-MM-DD` with its time, or why the text is no day. */
export type Read = { readonly day: string; readonly time: Time | null } | { readonly reason: string }

const written = (text: string): string | undefined => {
  const [, year, , month, day] = numeric.exec(text) ?? []
  if (year !== undefined) return `${year}-${month}-${day}`
  const [, name = "", number = "", of = ""] = named.exec(text) ?? []
  const index = months.indexOf(name.slice(0, 3).toLowerCase())
  return index < 0 ? undefined : `${of}-${String(index + 1).padStart(2, "0")}-${number.padStart(2, "0")}`
}

/** Seconds by which an offset such as `-07:00` is ahead of UTC. */
const aheadOf = (offset: string) => {
  const [, sign, hours = "0", minutes = "0"] = /([+-])(\d{2}):?(\d{2})?$/.exec(offset) ?? []
  return (sign === "-" ? -1 : 1) * (3600 * Number(hours) + 60 * Number(minutes))
}

/** The moment when clocks show a time on a day: the first if they show it twice, none if they skip it. */
const momentOf = (day: string, clock: number) =>
  [0, 3600, -3600]
    .map((shift) => DateTime.add(startOf(Day.of(day)), { seconds: clock + shift }))
    .find((moment) => clockOf(moment) === clock && dayOf(moment) === day)

const since = (day: string, moment: DateTime.DateTime) => DateTime.distance(startOf(Day.of(day)), moment) / 1000

const timeOf = (text: string, day: string): Time | null => {
  const [, , , , , hours, minutes, seconds = "0", offset] = numeric.exec(text) ?? []
  if (hours === undefined) return null
  const clock = 3600 * Number(hours) + 60 * Number(minutes) + Number(seconds)
  if (offset === undefined) {
    const moment = momentOf(day, clock)
    return { clock, seconds: moment === undefined ? -1 - clock : since(day, moment), zone: "none" }
  }
  const moment = Option.getOrThrow(DateTime.make(1000 * (86_400 * Day.of(day) + clock - aheadOf(offset))))
  const shown = clockOf(moment)
  return dayOf(moment) === day && (shown === 0 || shown === clock)
    ? { clock: shown, seconds: since(day, moment), zone: "pacific" }
    : { clock, seconds: clock, zone: "other" }
}

/** Reads a day in unambiguous spellings. The day of a time stays as written, because Search Console's days are Pacific. */
export const read = (text: string): Read => {
  const trimmed = text.trim()
  const day = written(trimmed)
  if (day !== undefined && Option.isSome(Day.parse(day))) return { day, time: timeOf(trimmed, day) }
  return {
    reason: ambiguous.test(trimmed)
      ? `"${text}" is ambiguous (day or month first?). Write it YYYY-MM-DD`
      : `"${text}" is not a date. Write it YYYY-MM-DD`
  }
}

/** A day with the hour of another column, written `5`, `05`, `05:00` or with the day again. */
export const withHour = (day: string, hour: string): string => {
  const text = hour.trim()
  if (text.length > 8) return text
  const [hours = "", ...others] = text.split(":")
  return `${day.trim()} ${[hours.padStart(2, "0"), ...(others.length === 0 ? ["00"] : others)].join(":")}`
}
