import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Day from "../../../foundation/schema/Day.ts"
import type { Days } from "../Domain.ts"
import type { Weeks } from "./statistics/Decay.ts"

const Range = Schema.Struct({ end: Schema.String, site: Schema.Int, start: Schema.String })

/** The days for lists, with the property's clicks. */
export class DaysRepo extends Effect.Service<DaysRepo>()("rankings/opportunities/DaysRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Known days as numbers since 1970, by level; `by_device` for days with nothing seen, or with values by device. */
    const known = Query.all({
      Request: Range,
      Result: Schema.Struct({
        by_device: Schema.Boolean,
        day: Schema.Int,
        level: Schema.Literal("queries", "pages")
      }),
      execute: ({ end, site, start }) => sql`
        SELECT d.level, d.day - '1970-01-01'::date AS day, d.impressions = 0 OR (d.level, d.day) IN (
          SELECT s.level, s.day FROM ranking_segment_days s JOIN ranking_segments of ON of.site = s.site AND of.id = s.segment
          WHERE s.site = ${site} AND of.device IS NOT NULL AND s.day BETWEEN ${start}::date AND ${end}::date) AS by_device
        FROM ranking_days d WHERE d.site = ${site} AND d.level IN ('queries', 'pages') AND d.day BETWEEN ${start}::date AND ${end}::date`
    })

    /** Clicks of a range: of the property if known, else of the pages; null if a day of the range is unknown. */
    const clicks = Query.one({
      Request: Range,
      Result: Schema.Struct({ clicks: Schema.NullOr(Schema.Number) }),
      execute: ({ end, site, start }) => sql`
        SELECT CASE WHEN count(*) = ${end}::date - ${start}::date + 1 THEN sum(clicks)::float8 END AS clicks FROM (
          SELECT DISTINCT ON (day) clicks FROM ranking_days
          WHERE site = ${site} AND level IN ('property', 'pages') AND day BETWEEN ${start}::date AND ${end}::date ORDER BY day, level DESC
        ) AS d`
    })

    /** The terms of a site's brand, folded like queries. */
    const brand = Query.one({
      Request: Schema.Struct({ site: Schema.Int }),
      Result: Schema.Struct({ terms: Schema.Array(Schema.String) }),
      execute: ({ site }) => sql`
        SELECT brand_folded AS terms FROM projects WHERE id = (SELECT site_id FROM ranking_sites WHERE number = ${site})`
    })

    return { brand, clicks, known }
  })
}) {}

/** Days of a week, weeks of a window, and weeks of history for decay, including the newest window. */
const [daysOfWeek, weeksOfWindow, weeksOfHistory] = [7, 4, 16] as const

/** Days of a window. */
export const windowLength = daysOfWeek * weeksOfWindow

/** Days of history for lists. */
export const historyLength = daysOfWeek * weeksOfHistory

/** Days between a day and the same weekday a year ago. */
const year = 364

/** The two windows that end at the newest day of queries. Weeks are counted back from that day and are no calendar weeks. */
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

/** The windows a year ago, on the same weekdays. */
export const yearBefore = (newest: Day.DayNumber): Windows => windowsAt(newest - year)

/** Why a list cannot be computed: days within its window were not imported, or the window begins before the first import. */
type Reason = "missing_days" | "history_too_short"

/** Null if the newest `needed` days are all known, else the reason why not. */
export const reasonAgainst = (known: ReadonlySet<number>, newest: Day.DayNumber, needed: number): Reason | null => {
  const first = newest - needed + 1
  const missing = Array.from({ length: needed }, (_, at) => first + at).filter((day) => !known.has(day))
  if (missing.length === 0) return null
  return [...known].some((day) => day <= first) ? "missing_days" : "history_too_short"
}

/** Weeks of history with known days only, by their distance from the newest week, 0; the furthest first. */
export const wholeWeeks = (known: ReadonlySet<number>, newest: Day.DayNumber): ReadonlyArray<number> =>
  Array.from({ length: weeksOfHistory }, (_, at) => weeksOfHistory - 1 - at).filter((week) =>
    Array.from({ length: daysOfWeek }, (_, day) => newest - week * daysOfWeek - day).every((day) => known.has(day))
  )

/** Clicks by known week, of the earlier windows and of the newest one; a week without clicks has 0. */
export const splitAt = (clicks: Readonly<Record<string, number>>, known: ReadonlyArray<number>): Weeks => {
  const of = (weeks: ReadonlyArray<number>) => weeks.map((week) => clicks[week] ?? 0)
  return { before: of(known.filter((week) => !isNow(week))), now: of(known.filter(isNow)) }
}

/** Whether a week belongs to the newest window. */
const isNow = (week: number): boolean => week < weeksOfWindow
