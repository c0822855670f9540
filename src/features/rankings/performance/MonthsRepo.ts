import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { FactsRepo, type Slice } from "./FactsRepo.ts"

/** The levels whose sums are kept by month. */
const Level = Schema.Literal("pages", "queries")
type Level = typeof Level.Type

/**
 * How the sums of a range of days are put together: those of `whole` months, less the facts of the days `minus`, and the facts of the days `plus`.
 * `months` are all that the range has days in: in no key's sum is more of a month than the month has.
 */
export interface Range {
  readonly level: Level
  readonly slice: Slice
  readonly months: ReadonlyArray<string>
  /** Of the days of each of the months, the part that the range has. */
  readonly shares: ReadonlyArray<number>
  readonly whole: ReadonlyArray<string>
  /** The months of which all days are meant. */
  readonly full: ReadonlyArray<string>
  readonly plus: ReadonlyArray<string>
  readonly minus: ReadonlyArray<string>
}

/** The pairs of a site that share the query with a number, by the index that they are found by: the place of a number is one of its site alone. */
export const pairsOf = (sql: SqlClient.SqlClient, site: number, query: Fragment): Fragment =>
  sql`query_number = ${query} AND ranking_query_place(site, query_number) = ranking_query_place(${site}, ${query})`

/** `share`: of the month's days that are known, those that are wanted. */
const Month = Schema.Struct({
  days: Schema.Array(Schema.String),
  isWhole: Schema.Boolean,
  month: Schema.String,
  share: Schema.Number
})

const RangeRequest = Schema.Struct({
  country: Schema.NullOr(Schema.String),
  device: Schema.NullOr(Schema.String),
  end: Schema.String,
  level: Level,
  site: Schema.Int,
  start: Schema.String
})

/** Sums of pages and of queries over any days, from sums by month. */
export class MonthsRepo extends Effect.Service<MonthsRepo>()("rankings/performance/MonthsRepo", {
  dependencies: [FactsRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const facts = yield* FactsRepo

    const dates = (days: ReadonlyArray<string>): Fragment => sql`${`{${days.join(",")}}`}::date[]`

    /** Of a month of which most days are wanted, the others are taken off again. */
    const monthsOf = Query.all({
      Request: RangeRequest,
      Result: Month,
      execute: ({ end, level, start, ...kept }) => sql`
        WITH known AS (
          SELECT f.day, ranking_month(f.day) AS month, f.day BETWEEN ${start}::date AND ${end}::date AS wanted FROM ${facts.daily(level, kept)}
            AND f.day >= ranking_month(${start}::date) AND f.day < ranking_month(${end}::date) + interval '1 month'
        ), months AS (
          SELECT month, count(*) FILTER (WHERE wanted) > count(*) FILTER (WHERE NOT wanted) AS is_whole FROM known GROUP BY month HAVING bool_or(wanted)
        )
        SELECT month::text, is_whole AS "isWhole", count(*) FILTER (WHERE wanted)::float8 / count(*) AS share,
          coalesce(json_agg(day ORDER BY day) FILTER (WHERE wanted <> is_whole), '[]') AS days
        FROM known JOIN months USING (month) GROUP BY month, is_whole ORDER BY month`
    })

    /** The range of a slice that sums are kept of, on the days that it has facts of. */
    const range = (level: Level, slice: Slice) =>
      Effect.map(
        monthsOf({ ...slice.days, country: slice.country, device: slice.device, level, site: slice.site }),
        (months): Range => ({
          full: months.flatMap(({ days, isWhole, month }) => (isWhole && days.length === 0 ? [month] : [])),
          level,
          minus: months.flatMap(({ days, isWhole }) => (isWhole ? days : [])),
          months: months.map(({ month }) => month),
          plus: months.flatMap(({ days, isWhole }) => (isWhole ? [] : days)),
          shares: months.map(({ share }) => share),
          slice,
          whole: months.flatMap(({ isWhole, month }) => (isWhole ? [month] : []))
        })
      )

    const numbers = ({ minus }: Range): Fragment => {
      if (minus.length === 0) return sql`f.impressions, f.clicks, f.sum_top`
      const sign = sql`CASE WHEN f.day = ANY(${dates(minus)}) THEN -1 ELSE 1 END`
      return sql`${sign} * f.impressions AS impressions, ${sign} * f.clicks AS clicks, ${sign} * f.sum_top AS sum_top`
    }

    const factsOf = (of: Range, where: Fragment): Fragment => {
      const onEdges = sql`f.day = ANY(${dates([...of.plus, ...of.minus])}) AND ${where}`
      return sql`SELECT f.key, ${numbers(of)} FROM ${facts.among(of.level, of.slice, onEdges)}`
    }

    const added = sql`sum(impressions) AS impressions, sum(clicks) AS clicks, sum(sum_top) AS sum_top`

    const hasEdges = ({ minus, plus }: Range) => minus.length + plus.length > 0

    /**
     * The sums by month of the keys in a relation (null: of all) for some months. A key is looked up by itself: without statistics the database
     * would look it up in each month.
     */
    const byMonth = ({ level, slice }: Range, keys: Fragment | null, months: ReadonlyArray<string>): Fragment => {
      const isMeant = sql`month = ANY(${dates(months)})`
      const kept = facts.monthly(level, slice)
      return keys === null
        ? sql`${kept} AND ${isMeant}`
        : sql`${keys} AS k CROSS JOIN LATERAL (
            SELECT month, impressions, clicks, sum_top FROM ${kept} AND key = k.key OFFSET 0
          ) AS m WHERE ${isMeant}`
    }

    const factsAmong = ({ level, slice }: Range, keys: Fragment | null): Fragment => {
      if (keys === null) return sql`true`
      if (level === "pages") return sql`f.key = ANY(ARRAY(SELECT key::integer FROM ${keys}))`
      return sql`f.key = ANY(ARRAY(SELECT p.id FROM ${keys} AS k
        CROSS JOIN LATERAL (SELECT id FROM ranking_pairs WHERE ${pairsOf(sql, slice.site, sql`k.key`)} OFFSET 0) AS p))`
    }

    /**
     * The facts of the edges. They are found by all keys at once, which walks through the index of a day; one key after the other would search it for
     * each. OFFSET 0 keeps look-ups look-ups: no estimate makes a walk through everything of them.
     */
    const edges = (of: Range, keys: Fragment | null): Fragment => {
      const found = factsOf(of, factsAmong(of, keys))
      if (of.level === "pages") return found
      return sql`SELECT p.query_number, f.impressions, f.clicks, f.sum_top
        FROM (SELECT key, ${added} FROM (${found}) AS f GROUP BY key OFFSET 0) AS f
        JOIN ranking_pairs p ON p.site = ${of.slice.site} AND p.id = f.key`
    }

    /** The sums of the keys in a relation (null: of all). */
    const sums = (of: Range, keys: Fragment | null): Fragment =>
      sql`SELECT key, ${added} FROM (
          SELECT key, impressions, clicks, sum_top FROM ${byMonth(of, keys, of.whole)}
          ${hasEdges(of) ? sql`UNION ALL ${edges(of, keys)}` : sql``}
        ) AS f GROUP BY key HAVING sum(impressions) > 0`

    /** The `count` most shown keys of each month, among those with at most `atMost` impressions in it (null: among all). */
    const leading = (of: Range, count: number, atMost: number | null): Fragment =>
      sql`SELECT s.key FROM unnest(${dates(of.months)}) AS m CROSS JOIN LATERAL (
        SELECT key FROM ${facts.monthly(of.level, of.slice)} AND month = m AND ${atMost === null ? sql`true` : sql`impressions <= ${atMost}::bigint`}
        ORDER BY impressions DESC LIMIT ${count}
      ) AS s`

    return { byMonth, dates, leading, range, sums }
  })
}) {}
