import * as Day from "../../../foundation/schema/Day.ts"
import type { Days } from "../Days.ts"
import type { Weeks } from "./statistics/Decay.ts"

/** Days of a week, weeks of a window, and weeks of history that decay looks at, the newest window included. */
const [daysOfWeek, weeksOfWindow, weeksOfHistory] = [7, 4, 16] as const

/** Days of a window. */
export const windowLength = daysOfWeek * weeksOfWindow

/** Days of history that lists are made from. */
export const historyLength = daysOfWeek * weeksOfHistory

/** Days between a day and the same weekday a year ago. */
const year = 364

/** The two windows that end at the newest day of queries. Weeks are counted back from it; they are not those of a calendar. */
export interface Windows {
  readonly current: Days
  readonly previous: Days
}

/** The window that ends `days` before the newest day. */
const windowBefore = (newest: Day.DayNumber, days: number): Days => ({
  end: Day.format(newest - days),
  start: Day.format(newest - days - windowLength + 1)
})

export const windowsAt = (newest: Day.DayNumber): Windows => ({
  current: windowBefore(newest, 0),
  previous: windowBefore(newest, windowLength)
})

/** The same windows a year ago, on the same weekdays. */
export const yearBefore = (newest: Day.DayNumber): Windows => windowsAt(newest - year)

/** Why a list cannot be made: days within its window were not imported, or the first import is younger than it. */
export type Reason = "missing_days" | "history_too_short"

/** Whether the newest `needed` days are all known; else why not. */
export const reasonAgainst = (known: ReadonlySet<number>, newest: Day.DayNumber, needed: number): Reason | null => {
  const first = newest - needed + 1
  const missing = Array.from({ length: needed }, (_, at) => first + at).filter((day) => !known.has(day))
  if (missing.length === 0) return null
  return [...known].some((day) => day <= first) ? "missing_days" : "history_too_short"
}

/** Weeks of history whose days are all known, by their distance from the newest one, which is 0; the furthest first. */
export const wholeWeeks = (known: ReadonlySet<number>, newest: Day.DayNumber): ReadonlyArray<number> =>
  Array.from({ length: weeksOfHistory }, (_, at) => weeksOfHistory - 1 - at).filter((week) =>
    Array.from({ length: daysOfWeek }, (_, day) => newest - week * daysOfWeek - day).every((day) => known.has(day))
  )

/** Clicks by week, where the weeks are known, of the windows before and of the newest one; a week without clicks has 0. */
export const splitAt = (clicks: Readonly<Record<string, number>>, known: ReadonlyArray<number>): Weeks => {
  const of = (weeks: ReadonlyArray<number>) => weeks.map((week) => clicks[week] ?? 0)
  return { before: of(known.filter((week) => !isNow(week))), now: of(known.filter(isNow)) }
}

/** Weeks by the window that they belong to: those of the newest, and those before it. */
export const isNow = (week: number): boolean => week < weeksOfWindow
