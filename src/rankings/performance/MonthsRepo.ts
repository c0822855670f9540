import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../database/Query.ts"
import type { Days } from "../Days.ts"

/** The levels whose sums are kept by month. */
export type Level = "pages" | "queries"

/**
 * How the sums of a range of days are put together: those of `whole` months, less the facts of the days `minus`, and the facts of the days `plus`.
 * `months` are all that the range has days in: in no key's sum is more of a month than the month has.
 */
export interface Range {
  readonly level: Level
  readonly site: number
  readonly months: ReadonlyArray<string>
  readonly whole: ReadonlyArray<string>
  /** The months of which all days are meant. */
  readonly full: ReadonlyArray<string>
  readonly plus: ReadonlyArray<string>
  readonly minus: ReadonlyArray<string>
}

const tables = {
  pages: { facts: "ranking_page_facts", months: "ranking_page_months" },
  queries: { facts: "ranking_query_facts", months: "ranking_query_months" }
} as const

/** The pairs of a site that share the query with a number, by the index that they are found by. */
export const pairsOf = (sql: SqlClient.SqlClient, site: number, query: Fragment): Fragment =>
  sql`site = ${site} AND query_number = ${query} AND ranking_query_place(site, query_number) = ranking_query_place(${site}, ${query})`

const Month = Schema.Struct({ month: Schema.String, isWhole: Schema.Boolean, days: Schema.Array(Schema.String) })

const Asked = Schema.Struct({ end: Schema.String, level: Schema.String, site: Schema.Int, start: Schema.String })

/** Sums of pages and of queries over any days, from sums by month. */
export class MonthsRepo extends Effect.Service<MonthsRepo>()("rankings/performance/MonthsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const dates = (days: ReadonlyArray<string>): Fragment => sql`${`{${days.join(",")}}`}::date[]`

    /** Of a month of which most days are wanted, the others are taken off again. */
    const monthsOf = Query.all({
      Request: Asked,
      Result: Month,
      execute: ({ end, level, site, start }) => sql`
        WITH known AS (
          SELECT day, ranking_month(day) AS month, day BETWEEN ${start}::date AND ${end}::date AS wanted FROM ranking_days
          WHERE site = ${site} AND level = ${level} AND impressions > 0
            AND day >= ranking_month(${start}::date) AND day < ranking_month(${end}::date) + interval '1 month'
        ), months AS (
          SELECT month, count(*) FILTER (WHERE wanted) > count(*) FILTER (WHERE NOT wanted) AS is_whole FROM known GROUP BY month HAVING bool_or(wanted)
        )
        SELECT month::text, is_whole AS "isWhole",
          coalesce(json_agg(day ORDER BY day) FILTER (WHERE wanted <> is_whole), '[]') AS days
        FROM known JOIN months USING (month) GROUP BY month, is_whole ORDER BY month`
    })

    const range = (level: Level, site: number, days: Days) =>
      Effect.map(
        monthsOf({ ...days, level, site }),
        (months): Range => ({
          full: months.flatMap(({ days, isWhole, month }) => (isWhole && days.length === 0 ? [month] : [])),
          level,
          minus: months.flatMap(({ days, isWhole }) => (isWhole ? days : [])),
          months: months.map(({ month }) => month),
          plus: months.flatMap(({ days, isWhole }) => (isWhole ? [] : days)),
          site,
          whole: months.flatMap(({ isWhole, month }) => (isWhole ? [month] : []))
        })
      )

    const signed = ({ minus }: Range): Fragment =>
      minus.length === 0
        ? sql`f.impressions, f.clicks, f.sum_top`
        : sql`sign * f.impressions AS impressions, sign * f.clicks AS clicks, sign * f.sum_top AS sum_top`

    const factsOf = (of: Range, where: Fragment): Fragment => {
      const sign =
        of.minus.length === 0
          ? sql``
          : sql`, LATERAL (SELECT CASE WHEN f.day = ANY(${dates(of.minus)}) THEN -1 ELSE 1 END AS sign) AS s`
      return sql`SELECT f.key, ${signed(of)} FROM ${sql(tables[of.level].facts)} f ${sign}
        WHERE f.site = ${of.site} AND f.day = ANY(${dates([...of.plus, ...of.minus])}) AND f.counts & 1 = 1 AND ${where}`
    }

    const added = sql`sum(impressions) AS impressions, sum(clicks) AS clicks, sum(sum_top) AS sum_top`

    const hasEdges = ({ minus, plus }: Range) => minus.length + plus.length > 0

    /** The sums of every key. */
    const all = (of: Range): Fragment => {
      const whole = sql`SELECT key, impressions, clicks, sum_top FROM ${sql(tables[of.level].months)}
        WHERE site = ${of.site} AND month = ANY(${dates(of.whole)})`
      const edges = {
        pages: factsOf(of, sql`true`),
        queries: sql`SELECT p.query_number, f.impressions, f.clicks, f.sum_top FROM (
            SELECT key, ${added} FROM (${factsOf(of, sql`true`)}) AS f GROUP BY key
          ) AS f JOIN ranking_pairs p ON p.site = ${of.site} AND p.id = f.key`
      }
      return sql`SELECT key, ${added} FROM (${whole} ${hasEdges(of) ? sql`UNION ALL ${edges[of.level]}` : sql``}) AS f
        GROUP BY key HAVING sum(impressions) > 0`
    }

    /**
     * The sums of the keys in a relation. OFFSET 0 keeps the look-ups look-ups: no estimate makes a walk through all facts of them. The facts of
     * the edges are found by all keys at once, which walks through the index of a day; one key after the other would search it for each.
     */
    const ofKeys = (of: Range, keys: Fragment): Fragment => {
      const whole = sql`SELECT k.key, m.* FROM ${keys} AS k CROSS JOIN LATERAL (
        SELECT impressions, clicks, sum_top FROM ${sql(tables[of.level].months)}
        WHERE site = ${of.site} AND key = k.key AND month = ANY(${dates(of.whole)}) OFFSET 0) AS m`
      const edges = {
        pages: factsOf(of, sql`f.key = ANY(ARRAY(SELECT key::integer FROM ${keys}))`),
        queries: sql`SELECT p.query_number, f.impressions, f.clicks, f.sum_top FROM (
            SELECT key, ${added} FROM (${factsOf(
              of,
              sql`f.key = ANY(ARRAY(SELECT p.id FROM ${keys} AS k
                CROSS JOIN LATERAL (SELECT id FROM ranking_pairs WHERE ${pairsOf(sql, of.site, sql`k.key`)} OFFSET 0) AS p))`
            )}) AS f GROUP BY key OFFSET 0
          ) AS f JOIN ranking_pairs p ON p.site = ${of.site} AND p.id = f.key`
      }
      return sql`SELECT key, ${added} FROM (${whole} ${hasEdges(of) ? sql`UNION ALL ${edges[of.level]}` : sql``}) AS f
        GROUP BY key HAVING sum(impressions) > 0`
    }

    /**
     * The sums of the `count` most shown keys whose sums are below `below` (null: of all), of all that have as many impressions as the last of them,
     * and of some others. What has a sum of that many has in one of its months at least their mean; so whoever reaches it in no month is not looked
     * at. The threshold is what `count` keys are known to have: those that lead their months, or, behind a place in the list, come after it there.
     * Their full months are enough for that; without any, their sums are needed, and are not added up twice.
     */
    const most = (of: Range, count: number, below: number | null) => {
      const months = sql(tables[of.level].months)
      const isBelow = below === null ? sql`true` : sql`impressions < ${below}::bigint`
      const first =
        below === null ? sql`true` : sql`impressions <= ${Math.ceil((2 * below) / of.months.length)}::bigint`
      const isShort = of.full.length === 0 || below !== null
      const known = isShort
        ? ofKeys(of, sql`seeds`)
        : sql`SELECT k.key, m.impressions FROM seeds AS k CROSS JOIN LATERAL (
            SELECT sum(impressions) AS impressions FROM ${months} WHERE site = ${of.site} AND key = k.key AND month = ANY(${dates(of.full)}) OFFSET 0
          ) AS m WHERE m.impressions > 0`
      const before = sql`
        seeds AS MATERIALIZED (
          SELECT DISTINCT s.key FROM unnest(${dates(of.months)}) AS m CROSS JOIN LATERAL (
            SELECT key FROM ${months} WHERE site = ${of.site} AND month = m AND ${first} ORDER BY impressions DESC LIMIT ${count}
          ) AS s
        ), known AS MATERIALIZED (
          ${known}
        ), threshold AS MATERIALIZED (
          SELECT coalesce((SELECT impressions FROM known WHERE ${isBelow} ORDER BY impressions DESC OFFSET ${count - 1} LIMIT 1), 1) AS least
        ), reaching AS MATERIALIZED (
          SELECT DISTINCT key FROM ${months} WHERE site = ${of.site} AND month = ANY(${dates(of.months)})
            AND impressions >= (SELECT ceil(least / ${of.months.length}::numeric)::bigint FROM threshold)
        ), leaders AS MATERIALIZED (
          SELECT r.key FROM reaching r CROSS JOIN LATERAL (
            SELECT sum(impressions) AS most FROM ${months} WHERE site = ${of.site} AND key = r.key AND month = ANY(${dates(of.months)}) OFFSET 0
          ) AS m WHERE m.most >= (SELECT least FROM threshold) ${isShort ? sql`AND r.key NOT IN (SELECT key FROM seeds)` : sql``}
        )`
      const others = ofKeys(of, sql`leaders`)
      return { before, sums: isShort ? sql`SELECT * FROM known UNION ALL ${others}` : others }
    }

    return { all, most, range }
  })
}) {}
