import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import type { Days } from "../Domain.ts"
import type { Level as FactLevel } from "../RawRow.ts"

/** Which facts are added up: of a site, on a range of days, filtered by device, country or page. */
export interface Slice {
  readonly site: number
  readonly days: Days
  readonly device: string | null
  readonly country: string | null
  readonly page: string | null
  /** The dimension that facts are grouped by, beyond the filters. */
  readonly apartBy: "device" | "country" | null
}

const tables = {
  pages: { facts: "ranking_page_facts", months: "ranking_page_months", segments: "ranking_page_segments" },
  property: { facts: "ranking_property_facts" },
  queries: { facts: "ranking_query_facts", months: "ranking_query_months", segments: "ranking_query_segments" }
} as const

/** Of which facts of a site sums by day and by month are kept: of all, of a device, of a country. */
type Kept = Pick<Slice, "country" | "device" | "site">

/** Whether sums by day and by month are kept of the facts of a slice. */
export const isKept = ({ apartBy, country, device, page }: Slice): boolean =>
  apartBy === null && page === null && (country === null || device === null)

const isWhole = ({ country, device }: Kept): boolean => country === null && device === null

/** The bit of `counts` that a slice adds up: facts whose country, device or both are known, or the whole. */
const bitOf = ({ apartBy, country, device }: Slice): number =>
  (country !== null || apartBy === "country" ? 1 : 0) + (device !== null || apartBy === "device" ? 2 : 0)

const bits = ["1", "2", "4", "8"] as const

/** The facts of a slice as fragments of statements. */
export class FactsRepo extends Effect.Service<FactsRepo>()("rankings/performance/FactsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Days of a range that are known at a level. */
    const known = (level: FactLevel, { days, site }: Slice): Fragment =>
      sql`SELECT day FROM ranking_days WHERE site = ${site} AND level = ${level} AND day BETWEEN ${days.start}::date AND ${days.end}::date`

    const onPage = (level: FactLevel, { page, site }: Slice): Fragment => {
      if (page === null || level === "property") return sql`true`
      return level === "pages"
        ? sql`f.key = (SELECT id FROM ranking_pages WHERE site = ${site} AND key = md5(${page})::uuid)`
        : sql`f.key = ANY(ARRAY(SELECT id FROM ranking_pairs WHERE site = ${site} AND page = ${page}))`
    }

    const range = ({ days }: Slice): Fragment => sql`f.day BETWEEN ${days.start}::date AND ${days.end}::date`

    /** The facts of a page are looked up in each known day: a range of days would be read whole. */
    const onDays = (level: FactLevel, slice: Slice): Fragment =>
      slice.page === null ? range(slice) : sql`f.day = ANY(ARRAY(${known(level, slice)}))`

    const isCounted = (slice: Slice): Fragment => sql`f.counts & ${sql.literal(bits[bitOf(slice)] ?? "1")} <> 0`

    const variants = sql`JOIN ranking_variants v ON v.site = f.site AND v.id = f.variant`

    const isNamed = ({ country, device }: Slice): Fragment =>
      sql`${device === null ? sql`true` : sql`v.device = ${device}`} AND ${country === null ? sql`true` : sql`v.country = ${country}`}`

    /** `f` a fact of a level, `v` its variant where device or country matter. */
    const of = (level: FactLevel, slice: Slice, isOnDay: Fragment = onDays(level, slice)): Fragment =>
      sql`${sql(tables[level].facts)} f ${bitOf(slice) === 0 ? sql`` : variants}
        WHERE f.site = ${slice.site} AND ${isOnDay} AND ${isCounted(slice)} AND ${onPage(level, slice)} AND ${isNamed(slice)}`

    /**
     * The same of few texts or days, which are found before their variants: a site may have tens of thousands of these, and a plan that begins with them
     * looks for each in each day.
     */
    const among = (level: FactLevel, slice: Slice, isMeant: Fragment): Fragment => {
      const found = sql`${sql(tables[level].facts)} f WHERE f.site = ${slice.site} AND ${isMeant} AND ${isCounted(slice)}`
      return bitOf(slice) === 0
        ? found
        : sql`(SELECT f.* FROM ${found} OFFSET 0) AS f ${variants} WHERE ${isNamed(slice)}`
    }

    /** Which of the kept sums by segment are those of a slice, after its site; the whole has tables of its own. */
    const ofSegment = (slice: Kept): Fragment => {
      if (isWhole(slice)) return sql``
      const name = slice.device === null ? sql`country = ${slice.country}` : sql`device = ${slice.device}`
      return sql`AND segment = (SELECT id FROM ranking_segments WHERE site = ${slice.site} AND ${name})`
    }

    /** The kept sums of all days of a slice. */
    const daily = (level: FactLevel, slice: Kept): Fragment =>
      isWhole(slice)
        ? sql`ranking_days f WHERE f.site = ${slice.site} AND f.level = ${level} AND f.impressions > 0`
        : sql`ranking_segment_days f WHERE f.site = ${slice.site} AND f.level = ${level} ${ofSegment(slice)}`

    /** The kept sums by month of a slice at a level. */
    const monthly = (level: "pages" | "queries", slice: Kept): Fragment => {
      const kept = tables[level][isWhole(slice) ? "months" : "segments"]
      return sql`${sql(kept)} WHERE site = ${slice.site} ${ofSegment(slice)}`
    }

    /** Facts that only their sums by day are wanted of. */
    const sums = (level: FactLevel, slice: Slice): Fragment =>
      isKept(slice) ? sql`${daily(level, slice)} AND ${range(slice)}` : of(level, slice)

    /** Those of the pages on the days of which the property is not known; where there are none, no facts are read. */
    const others = (slice: Slice): Fragment =>
      isKept(slice)
        ? sql`${sums("pages", slice)} AND f.day NOT IN (${known("property", slice)})`
        : of("pages", slice, sql`f.day = ANY(ARRAY(${known("pages", slice)} EXCEPT ${known("property", slice)}))`)

    /** Totals, of the property where it is known; of a page, and elsewhere, of the pages. */
    const totals = (slice: Slice, columns: Fragment): Fragment =>
      slice.page !== null
        ? sql`SELECT ${columns}, 'pages' AS source FROM ${sums("pages", slice)}`
        : sql`SELECT ${columns}, 'property' AS source FROM ${sums("property", slice)}
            UNION ALL SELECT ${columns}, 'pages' FROM ${others(slice)}`

    return { among, daily, known, monthly, of, sums, totals }
  })
}) {}

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

/** `isMany`: too many months have a key's share of `least` impressions for a look at each key. */
const Bound = Schema.Struct({ isMany: Schema.Boolean, least: Schema.Number })

/** Months of keys, from which on all are walked through instead of looked up key by key. */
const many = 50_000

/** Finds which pages or queries come first in a table, or next, without adding up all. */
export class LeadersRepo extends Effect.Service<LeadersRepo>()("rankings/performance/LeadersRepo", {
  dependencies: [MonthsRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const months = yield* MonthsRepo

    /**
     * A lower bound for the sums of the next `count` keys, those below `below` (null: the first of all): at least `count` keys reach it.
     * They are sought among the keys that lead their months or, behind a place in the list, those that come after its mean of a month, or after
     * twice that; of these, among the ones that seem to come next when the days of a month are all alike.
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
     * The sums of the `count` most shown keys whose sums are below `below` (null: of all), of all that have as many impressions as the last of them,
     * and of some others. A key whose sum reaches `least` has, in one of its months, at least the mean of that sum; a key that has it in no month is
     * skipped. Example: a sum of 1,000 over ten months needs one month with 100. Where too many keys have it, the months of all keys are added up in one walk.
     */
    const most = Effect.fnUntraced(function* (of: Range, count: number, below: number | null) {
      const { isMany, least } = yield* bound(of, count, below)
      const mean = Math.ceil(least / of.months.length)
      const all = months.byMonth(of, null, of.months)
      const reaching = sql`(SELECT DISTINCT key FROM ${all} AND impressions >= ${mean}::bigint)`
      const sums = isMany ? all : months.byMonth(of, reaching, of.months)
      // A key has at least the impressions of the full months, and at most those of all.
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
