import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import type { Days } from "../Domain.ts"
import type { Level as FactLevel } from "../RawRow.ts"

/** A filter by query: one query, or all that contain a text in lower case. */
export type QueryFilter = { readonly exact: string } | { readonly contains: string }

/** The facts to add up: of a site, on a range of days, filtered by device, country, page or query. */
export interface Slice {
  readonly site: number
  readonly days: Days
  readonly device: string | null
  readonly country: string | null
  readonly page: string | null
  readonly query: QueryFilter | null
  /** The dimension for grouping facts, beyond the filters. */
  readonly apartBy: "device" | "country" | null
}

const tables = {
  pages: { facts: "ranking_page_facts", months: "ranking_page_months", segments: "ranking_page_segments" },
  property: { facts: "ranking_property_facts" },
  queries: { facts: "ranking_query_facts", months: "ranking_query_months", segments: "ranking_query_segments" }
} as const

/** The facts of a site with stored sums by day and month: all, of a device, or of a country. */
type Kept = Pick<Slice, "country" | "device" | "site">

/** Whether a slice has stored sums by day and month. */
export const isKept = ({ apartBy, country, device, page, query }: Slice): boolean =>
  apartBy === null && page === null && query === null && (country === null || device === null)

const isWhole = ({ country, device }: Kept): boolean => country === null && device === null

/** The bit of `counts` for a slice: facts by country, by device, by both, or the whole. */
const bitOf = ({ apartBy, country, device }: Slice): number =>
  (country !== null || apartBy === "country" ? 1 : 0) + (device !== null || apartBy === "device" ? 2 : 0)

const bits = ["1", "2", "4", "8"] as const

/** The facts of a slice as fragments of statements. */
export class FactsRepo extends Effect.Service<FactsRepo>()("rankings/performance/FactsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Known days of a range at a level. */
    const known = (level: FactLevel, { days, site }: Slice): Fragment =>
      sql`SELECT day FROM ranking_days WHERE site = ${site} AND level = ${level} AND day BETWEEN ${days.start}::date AND ${days.end}::date`

    const onPage = (level: FactLevel, { page, query, site }: Slice): Fragment => {
      if (level === "property" || (page === null && (query === null || level === "pages"))) return sql`true`
      if (level === "pages")
        return sql`f.key = (SELECT id FROM ranking_pages WHERE site = ${site} AND key = md5(${page})::uuid)`
      const pairs = sql`SELECT id FROM ranking_pairs WHERE ${query === null ? sql`site = ${site}` : ofQuery(sql, site, query)}
        AND ${page === null ? sql`true` : sql`page = ${page}`}`
      // Few pairs are looked up day by day. Pairs that contain a text may be many, and the database chooses.
      return page === null && query !== null && "contains" in query
        ? sql`f.key IN (${pairs})`
        : sql`f.key = ANY(ARRAY(${pairs}))`
    }

    const range = ({ days }: Slice): Fragment => sql`f.day BETWEEN ${days.start}::date AND ${days.end}::date`

    /** Looks up the facts of a page or a query in each known day, because a range of days would be read whole. */
    const onDays = (level: FactLevel, slice: Slice): Fragment =>
      slice.page === null && (slice.query === null || "contains" in slice.query)
        ? range(slice)
        : sql`f.day = ANY(ARRAY(${known(level, slice)}))`

    const isCounted = (slice: Slice): Fragment => sql`f.counts & ${sql.literal(bits[bitOf(slice)] ?? "1")} <> 0`

    const variants = sql`JOIN ranking_variants v ON v.site = f.site AND v.id = f.variant`

    const isNamed = ({ country, device }: Slice): Fragment =>
      sql`${device === null ? sql`true` : sql`v.device = ${device}`} AND ${country === null ? sql`true` : sql`v.country = ${country}`}`

    /** Facts `f` of a level, with their variants `v` if device or country matter. */
    const of = (level: FactLevel, slice: Slice, isOnDay: Fragment = onDays(level, slice)): Fragment =>
      sql`${sql(tables[level].facts)} f ${bitOf(slice) === 0 ? sql`` : variants}
        WHERE f.site = ${slice.site} AND ${isOnDay} AND ${isCounted(slice)} AND ${onPage(level, slice)} AND ${isNamed(slice)}`

    /**
     * Facts of few texts or days, which are found before their variants: a site may have tens of thousands of variants, and a plan that begins with them would
     * look for each in each day.
     */
    const among = (level: FactLevel, slice: Slice, isMeant: Fragment): Fragment => {
      const found = sql`${sql(tables[level].facts)} f WHERE f.site = ${slice.site} AND ${isMeant} AND ${isCounted(slice)}`
      return bitOf(slice) === 0
        ? found
        : sql`(SELECT f.* FROM ${found} OFFSET 0) AS f ${variants} WHERE ${isNamed(slice)}`
    }

    /** The condition for a slice's stored sums by segment, beside its site. The whole has separate tables. */
    const ofSegment = (slice: Kept): Fragment => {
      if (isWhole(slice)) return sql``
      const name = slice.device === null ? sql`country = ${slice.country}` : sql`device = ${slice.device}`
      return sql`AND segment = (SELECT id FROM ranking_segments WHERE site = ${slice.site} AND ${name})`
    }

    /** The stored sums of all days of a slice. */
    const daily = (level: FactLevel, slice: Kept): Fragment =>
      isWhole(slice)
        ? sql`ranking_days f WHERE f.site = ${slice.site} AND f.level = ${level} AND f.impressions > 0`
        : sql`ranking_segment_days f WHERE f.site = ${slice.site} AND f.level = ${level} ${ofSegment(slice)}`

    /** The stored sums by month of a slice at a level. */
    const monthly = (level: "pages" | "queries", slice: Kept): Fragment => {
      const kept = tables[level][isWhole(slice) ? "months" : "segments"]
      return sql`${sql(kept)} WHERE site = ${slice.site} ${ofSegment(slice)}`
    }

    /** Sums by day of a slice's facts. */
    const sums = (level: FactLevel, slice: Slice): Fragment =>
      isKept(slice) ? sql`${daily(level, slice)} AND ${range(slice)}` : of(level, slice)

    /** Page sums for days without property totals; skipped when there are no such days. */
    const others = (slice: Slice): Fragment =>
      isKept(slice)
        ? sql`${sums("pages", slice)} AND f.day NOT IN (${known("property", slice)})`
        : of("pages", slice, sql`f.day = ANY(ARRAY(${known("pages", slice)} EXCEPT ${known("property", slice)}))`)

    /** Totals of the property if known, else of the pages; with a filter by page or query, of the page or the queries. */
    const totals = (slice: Slice, columns: Fragment): Fragment =>
      slice.query !== null
        ? sql`SELECT ${columns}, 'queries' AS source FROM ${of("queries", slice)}`
        : slice.page !== null
          ? sql`SELECT ${columns}, 'pages' AS source FROM ${sums("pages", slice)}`
          : sql`SELECT ${columns}, 'property' AS source FROM ${sums("property", slice)}
            UNION ALL SELECT ${columns}, 'pages' FROM ${others(slice)}`

    return { among, daily, known, monthly, of, sums, totals }
  })
}) {}

/** The levels with stored sums by month. */
const Level = Schema.Literal("pages", "queries")
type Level = typeof Level.Type

/**
 * The parts of a range's sums: the sums of `whole` months, less the facts of the days `minus`, plus the facts of the days `plus`. `months` has every month with
 * days in the range: a key's sum has at most the key's total of each month.
 */
export interface Range {
  readonly level: Level
  readonly slice: Slice
  readonly months: ReadonlyArray<string>
  /** The share of each month's days that the range has. */
  readonly shares: ReadonlyArray<number>
  readonly whole: ReadonlyArray<string>
  /** The months with all days in the range. */
  readonly full: ReadonlyArray<string>
  readonly plus: ReadonlyArray<string>
  readonly minus: ReadonlyArray<string>
}

/** The pairs of a site with the query of a number. The index finds them, because a number belongs to one site. */
export const pairsOf = (sql: SqlClient.SqlClient, site: number, query: Fragment): Fragment =>
  sql`query_number = ${query} AND ranking_query_place(site, query_number) = ranking_query_place(${site}, ${query})`

/** The condition for a site's pairs with the queries of a filter. */
export const ofQuery = (sql: SqlClient.SqlClient, site: number, query: QueryFilter): Fragment =>
  "exact" in query
    ? sql`${pairsOf(sql, site, sql`ranking_query_number(${query.exact})`)} AND query = ${query.exact}`
    : sql`site = ${site} AND strpos(coalesce(folded, query), ${query.contains}) > 0`

/** A month; `share` is the wanted part of its known days. */
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

    /** Divides a range into months. From a month with mostly wanted days, the other days are subtracted. */
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

    /** The range of a slice with stored sums, on its days with facts. */
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
     * The sums by month of the keys in a relation (null: all keys) for some months. A subquery looks up each key, because without statistics the database would
     * look it up in each month.
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
     * The facts of the edges. All keys together walk through the index of a day once; key by key, each would search the index. OFFSET 0 keeps the look-ups: no
     * estimate can turn them into a full scan.
     */
    const edges = (of: Range, keys: Fragment | null): Fragment => {
      const found = factsOf(of, factsAmong(of, keys))
      if (of.level === "pages") return found
      return sql`SELECT p.query_number, f.impressions, f.clicks, f.sum_top
        FROM (SELECT key, ${added} FROM (${found}) AS f GROUP BY key OFFSET 0) AS f
        JOIN ranking_pairs p ON p.site = ${of.slice.site} AND p.id = f.key`
    }

    /** The sums of the keys in a relation (null: all keys). */
    const sums = (of: Range, keys: Fragment | null): Fragment =>
      sql`SELECT key, ${added} FROM (
          SELECT key, impressions, clicks, sum_top FROM ${byMonth(of, keys, of.whole)}
          ${hasEdges(of) ? sql`UNION ALL ${edges(of, keys)}` : sql``}
        ) AS f GROUP BY key HAVING sum(impressions) > 0`

    /** The `count` keys with the most impressions of each month, among keys with at most `atMost` in it (null: all keys). */
    const leading = (of: Range, count: number, atMost: number | null): Fragment =>
      sql`SELECT s.key FROM unnest(${dates(of.months)}) AS m CROSS JOIN LATERAL (
        SELECT key FROM ${facts.monthly(of.level, of.slice)} AND month = m AND ${atMost === null ? sql`true` : sql`impressions <= ${atMost}::bigint`}
        ORDER BY impressions DESC LIMIT ${count}
      ) AS s`

    /** Whether more than `most` sums of months and facts of single days would be added up for all keys. Counting ends there. */
    const isLarge = (of: Range, most: number) => {
      const counted = (rows: Fragment) => sql`(SELECT count(*) FROM (SELECT FROM ${rows} LIMIT ${most + 1}) AS counted)`
      const { minus, plus, slice } = of
      const onEdges = sql`${sql(tables[of.level].facts)} WHERE site = ${slice.site} AND day = ANY(${dates([...plus, ...minus])})`
      return Effect.map(
        Query.one({
          Request: Schema.Void,
          Result: Schema.Struct({ large: Schema.Boolean }),
          execute: () => sql`SELECT ${counted(byMonth(of, null, of.whole))} + ${counted(onEdges)} > ${most} AS large`
        })(undefined),
        ({ large }) => large
      )
    }

    return { byMonth, dates, isLarge, leading, range, sums }
  })
}) {}

/** A bound; `isMany` means that too many months have a key's share of `least` impressions for a look-up per key. */
const Bound = Schema.Struct({ isMany: Schema.Boolean, least: Schema.Number })

/** From this number of keys' months on, all are scanned instead of looked up key by key. */
const many = 50_000

/** Finds the first or next pages or queries of a table without adding up all. */
export class LeadersRepo extends Effect.Service<LeadersRepo>()("rankings/performance/LeadersRepo", {
  dependencies: [MonthsRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const months = yield* MonthsRepo

    /**
     * A lower bound for the sums of the next `count` keys below `below` (null: the first keys): at least `count` keys reach it. Candidates are the leading keys
     * of each month, or, after a place in the list, the keys after the monthly mean of that place, or after twice the mean; among them, the keys that would be
     * next if all days of a month were alike.
     */
    const bound = (of: Range, count: number, below: number | null) => {
      const means = below === null ? [null] : [1, 2].map((times) => Math.ceil((times * below) / of.months.length))
      const seeds = means.map((mean) => months.leading(of, count, mean))
      const isNext = below === null ? sql`true` : sql`impressions < ${below}::bigint`
      const share = sql`(${`{${of.shares.join(",")}}`}::float8[])[array_position(${months.dates(of.months)}, month)]`
      const all = months.byMonth(of, null, of.months)
      return Query.one({
        Request: Schema.Void,
        Result: Bound,
        execute: () => sql`
          WITH seeds AS MATERIALIZED (SELECT DISTINCT key FROM (${sql.join(" UNION ALL ", false)(seeds)}) AS s),
          near AS MATERIALIZED (
            SELECT key FROM (
              SELECT key, sum(impressions * ${share}) AS impressions FROM ${months.byMonth(of, sql`seeds`, of.months)} GROUP BY key
            ) AS guess WHERE ${isNext} ORDER BY impressions DESC LIMIT ${2 * count}
          ),
          bound AS MATERIALIZED (
            SELECT greatest(1, (
              SELECT impressions FROM (${months.sums(of, sql`near`)}) AS s WHERE ${isNext} ORDER BY impressions DESC OFFSET ${count - 1} LIMIT 1
            )) AS least
          )
          SELECT least::float8 AS least, (
            SELECT count(*) = ${many} FROM (
              SELECT FROM ${all} AND impressions >= (SELECT ceil(least / ${of.months.length}::numeric)::bigint FROM bound) LIMIT ${many}
            ) AS reaching
          ) AS "isMany" FROM bound`
      })(undefined)
    }

    /**
     * The sums of the `count` keys with the most impressions below `below` (null: of all), of ties with the last one, and of some others. A key with a sum of
     * at least `least` has, in some month, at least the mean of that sum; a key without such a month is skipped. Example: a sum of 1,000 over ten months needs
     * one month with 100. When too many keys have such a month, one scan adds up the months of all keys.
     */
    const most = Effect.fnUntraced(function* (of: Range, count: number, below: number | null) {
      const { isMany, least } = yield* bound(of, count, below)
      const mean = Math.ceil(least / of.months.length)
      const all = months.byMonth(of, null, of.months)
      const reaching = sql`(SELECT DISTINCT key FROM ${all} AND impressions >= ${mean}::bigint)`
      const sums = isMany ? all : months.byMonth(of, reaching, of.months)
      // A key has at least the impressions of its full months, and at most the impressions of all its months.
      const isBefore =
        below === null
          ? sql`false`
          : sql`sum(CASE WHEN month = ANY(${months.dates(of.full)}) THEN impressions ELSE 0 END) > ${below}::bigint`
      const before = sql`candidates AS MATERIALIZED (
        SELECT key FROM ${sums} GROUP BY key HAVING sum(impressions) >= ${least}::bigint AND NOT ${isBefore}
      )`
      return { before, sums: months.sums(of, sql`candidates`) }
    })

    return { most }
  })
}) {}
