import type { Keyword, NotAssessed, RankingImport, RankingSummary } from "../api/Contract.ts"
import { count, dayAfter, dayLength, daysFrom, monthName, plural, rounded, timeOf } from "../parts/Formats.ts"

/** Position changes in readers' words. */
export const movements = {
  climbing: "Improved",
  dropping: "Declined",
  new: "New",
  lost: "Lost",
  stable: "Stable"
} as const

/** A position change in words: `9.0 → 8.0 improved`. A query without an earlier position is new, without a current one lost. */
export const wordsOf = ({ current_position, previous_position, ranking_status }: Keyword): string => {
  if (current_position === null) return `lost (was ${rounded(previous_position)})`
  if (previous_position === null) return `new at ${rounded(current_position)}`
  return `${rounded(previous_position)} → ${rounded(current_position)} ${movements[ranking_status].toLowerCase()}`
}

/** The days that a list of opportunities still needs. */
export const reasonOf = ({ needed_days, reason }: NotAssessed): string =>
  `Needs ${count(needed_days)} consecutive days of data up to the latest day. ${
    reason === "missing_days" ? "Import the missing days." : "Import older days."
  }`

/** The problem of a file and its place: the name of the chosen file, if the page knows it, and of the file in its archive. */
export const faultOf = (
  { file, line, message }: NonNullable<RankingImport["error"]>,
  chosen: string | null
): string => {
  const name = file === null || chosen === null || file === chosen ? (file ?? chosen) : `${chosen}, ${file}`
  const place = [name, line === null ? null : `line ${count(line)}`].filter((part) => part !== null).join(", ")
  return place === "" ? message : `${place}: ${message}`
}

/** The previous period of equal length: `previous 28 days`. */
export const previousPeriod = (coverage: RankingSummary["coverage"]): string => {
  if (coverage === null) return "previous period"
  const { end, start } = coverage.previous
  return `previous ${plural(Math.round((timeOf(end) - timeOf(start)) / dayLength) + 1, "day")}`
}

/** Two periods that are compared: `Nov 18 – 24, 2026 vs. previous 7 days`. */
export const periodOf = (coverage: NonNullable<RankingSummary["coverage"]>): string =>
  `${daysFrom(coverage.current.start, coverage.current.end)} vs. ${previousPeriod(coverage)}`

/** The two periods of position changes: `last 7 days vs. 7 before`. */
export const changedIn = ({ current, previous }: NonNullable<RankingSummary["coverage"]>): string =>
  `last ${plural(lengthOf(current), "day")} vs. ${count(lengthOf(previous))} before`

/** The ranges of days to choose from; whole weeks compare equal weekdays. */
export const ranges = [
  { days: 7, text: "7 days", value: "7d" },
  { days: 28, text: "28 days", value: "28d" },
  { days: 91, text: "3 months", value: "3m" },
  { days: 364, text: "12 months", value: "12m" }
] as const

/** First and last day, both inclusive. */
export interface Days {
  readonly start: string
  readonly end: string
}

const isDay = (text: string | null): text is string => text !== null && /^\d{4}-\d\d-\d\d$/.test(text)

/** The number of days of a range. */
export const lengthOf = ({ end, start }: Days): number =>
  Math.round((Date.parse(end) - Date.parse(start)) / dayLength) + 1

const firstOfMonth = (day: string) => `${day.slice(0, 8)}01`

/** The whole month of a day, or one that is some months earlier. */
export const monthOf = (day: string, back = 0): Days => {
  const start = firstOfMonth(day)
  if (back > 0) return monthOf(dayAfter(start, -1), back - 1)
  return { end: dayAfter(firstOfMonth(dayAfter(start, 31)), -1), start }
}

/** The months to choose from, by their distance from the month of the latest day. */
const months = [
  { back: 0, value: "month" },
  { back: 1, value: "last-month" }
] as const

/** The two latest months with data: `This month` and `Last month`, or their names if the latest day is in an earlier month than today. */
export const monthRanges = (latest: string, today: string) =>
  months.map(({ back, value }) => {
    const { start } = monthOf(latest, back)
    const name = [0, 1].find((ago) => monthOf(today, ago).start === start)
    return { text: name === undefined ? monthName(start) : name === 0 ? "This month" : "Last month", value }
  })

/** The month before a chosen month: the same days of it, or all of it before a whole month; null for other ranges. */
export const monthBefore = (query: URLSearchParams, days: Days): Days | null => {
  const month = monthOf(days.start)
  const isWhole = days.start === month.start && days.end === month.end
  const isOwn = query.get("start") !== null
  if (isOwn ? !isWhole : months.every(({ value }) => value !== query.get("range"))) return null
  const { end, start } = monthOf(days.start, 1)
  const same = `${start.slice(0, 8)}${days.end.slice(8)}`
  return { end: isWhole || same > end ? end : same, start }
}

/** The days of a chosen month, up to the latest day. */
const daysOfMonth = (range: string | null, latest: string): Days | null => {
  const month = months.find(({ value }) => value === range)
  if (month === undefined) return null
  const { end, start } = monthOf(latest, month.back)
  return { end: end < latest ? end : latest, start }
}

/** Every day of a range. */
export const eachDay = ({ end, start }: Days): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, lengthOf({ end, start })) }, (_, at) => dayAfter(start, at))

/** The range of days that the filters of a URL name: own days, a month, or a range that ends on the latest day; 28 days by default. */
export const daysOf = (query: URLSearchParams, latest: string): Days => {
  const [start, end] = [query.get("start"), query.get("end")]
  if (isDay(start) && isDay(end) && start <= end) return { end, start }
  const month = daysOfMonth(query.get("range"), latest)
  if (month !== null) return month
  const { days } = ranges.find(({ value }) => value === query.get("range")) ?? ranges[1]
  return { end: latest, start: dayAfter(latest, 1 - days) }
}

/** The positions gained between two periods, as exact as positions are shown; null if one is missing. */
export const gainBetween = (before: number | null | undefined, now: number | null): number | null =>
  before === null || before === undefined || now === null ? null : Math.round((before - now) * 10) / 10

/** The change between two values as a share of the first; null if that is zero or missing. */
export const changeBetween = (before: number | null | undefined, now: number): number | null =>
  before === null || before === undefined || before === 0 ? null : now / before - 1
