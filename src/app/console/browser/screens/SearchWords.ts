import type { Keyword, NotAssessed, RankingImport, RankingSummary } from "../api/Contract.ts"
import { count, dayAfter, dayLength, daysFrom, plural, position, timeOf } from "../parts/Formats.ts"

/** Position changes in readers' words. */
export const movements = {
  climbing: "Improved",
  dropping: "Declined",
  new: "New",
  lost: "Lost",
  stable: "Stable"
} as const

/** A position change in words: `9 → 8 improved`. A query without an earlier position is new, without a current one lost. */
export const wordsOf = ({ current_position, previous_position, ranking_status }: Keyword): string => {
  if (current_position === null) return `lost (was ${position(previous_position)})`
  if (previous_position === null) return `new at ${position(current_position)}`
  return `${position(previous_position)} → ${position(current_position)} ${movements[ranking_status].toLowerCase()}`
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

/** Every day of a range. */
export const eachDay = ({ end, start }: Days): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, lengthOf({ end, start })) }, (_, at) => dayAfter(start, at))

/** The range of days that the filters of a URL name: own days, or a range that ends on the latest day; 28 days by default. */
export const daysOf = (query: URLSearchParams, latest: string): Days => {
  const [start, end] = [query.get("start"), query.get("end")]
  if (isDay(start) && isDay(end) && start <= end) return { end, start }
  const { days } = ranges.find(({ value }) => value === query.get("range")) ?? ranges[1]
  return { end: latest, start: dayAfter(latest, 1 - days) }
}

/** The positions gained between two periods, as exact as positions are shown; null if one is missing. */
export const gainBetween = (before: number | null | undefined, now: number | null): number | null =>
  before === null || before === undefined || now === null ? null : Math.round((before - now) * 10) / 10

/** The change between two values as a share of the first; null if that is zero or missing. */
export const changeBetween = (before: number | null | undefined, now: number): number | null =>
  before === null || before === undefined || before === 0 ? null : now / before - 1
