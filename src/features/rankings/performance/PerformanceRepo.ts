import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Coverage, StatusCounts } from "../Domain.ts"
import { type By, Cannibalised, PerformanceRow, Segments, type Sort } from "./Api.ts"
import { FactsRepo, isKept, LeadersRepo, MonthsRepo, ofQuery, pairsOf, type Range, type Slice } from "./Facts.ts"

/** The start of a page of rows: impressions, clicks and key of the previous row, and its rank in an order other than the usual one. */
interface After {
  readonly rank?: number
  readonly impressions: number
  readonly clicks: number
  readonly key: string
}

/** The order of a table. */
export interface Order {
  readonly by: Sort
  readonly isDescending: boolean
}

/** The place of a row among others, rising along the list, before impressions, clicks and key decide. Rows without the value are last. */
export const rankOf = ({ by, isDescending }: Order, row: typeof PerformanceRow.Type): number => {
  const value = valueOf(by, row)
  return value === null ? Number.POSITIVE_INFINITY : isDescending ? -value : value
}

const valueOf = (by: Sort, row: typeof PerformanceRow.Type): number | null => {
  const before = row.previous ?? { clicks: 0, impressions: 0, position: null }
  switch (by) {
    case "clicks_change":
      return row.clicks - before.clicks
    case "impressions_change":
      return row.impressions - before.impressions
    case "position_change":
      return row.position === null || before.position === null ? null : before.position - row.position
    default:
      return row[by]
  }
}

/** The same values in SQL, of sums and of the sums `before_…` of the period before. */
const values: Readonly<Record<Sort, string>> = {
  clicks: "clicks::float8",
  clicks_change: "(clicks - before_clicks)::float8",
  ctr: "CASE WHEN impressions > 0 THEN clicks::float8 / impressions::float8 ELSE 0 END",
  impressions: "impressions::float8",
  impressions_change: "(impressions - before_impressions)::float8",
  position: "ranking_ratio(sum_top, impressions)",
  position_change: "ranking_ratio(before_top, before_impressions) - ranking_ratio(sum_top, impressions)"
}

/** Whether an order compares two periods. */
export const isOfChange = ({ by }: Order): boolean => by.endsWith("_change")

/** The order of tables that need not be added up as a whole. */
export const usual: Order = { by: "impressions", isDescending: true }

const isUsual = ({ by, isDescending }: Order) => by === "impressions" && isDescending

/** The most sums that a request adds up for a table in another order, or for a search: a page then takes less than 300 ms. */
const atMost = { facts: 200_000, pairs: 200_000, sums: 50_000 } as const

const Days = Schema.Struct({ end: Schema.String, start: Schema.String })

const Sums = Schema.Struct({
  impressions: Schema.NullOr(Schema.Number),
  clicks: Schema.NullOr(Schema.Number),
  position: Schema.NullOr(Schema.Number),
  sources: Schema.NullOr(Schema.Array(Schema.Literal("property", "pages")))
})

/** The condition for a competing page of a query: a tenth of the query's impressions, and ten. */
export const competes = "impressions >= 10 AND impressions * 10 >= of_query"

/** Up to this number of rows, the leading keys are searched; beyond, all are added up. */
const sought = 1000

/** Adds up facts. */
export class PerformanceRepo extends Effect.Service<PerformanceRepo>()("rankings/performance/PerformanceRepo", {
  dependencies: [FactsRepo.Default, LeadersRepo.Default, MonthsRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const facts = yield* FactsRepo
    const leaders = yield* LeadersRepo
    const months = yield* MonthsRepo

    const numbers = sql`impressions::float8 AS impressions, clicks::float8 AS clicks,
      CASE WHEN impressions > 0 THEN clicks::float8 / impressions::float8 ELSE 0 END AS ctr, ranking_ratio(sum_top, impressions) AS position`
    const added = sql`sum(impressions) AS impressions, sum(clicks) AS clicks, sum(sum_top) AS sum_top`
    const raw = sql`f.impressions, f.clicks, f.sum_top`

    /** Rows of impressions, clicks and sum_top, named by the dimension. */
    const grouped = (by: Exclude<By, "date">, slice: Slice): Fragment => {
      switch (by) {
        case "device":
        case "country":
          return sql`SELECT name, ${added} FROM (${facts.totals(slice, sql`${sql(`v.${by}`)} AS name, ${raw}`)}) AS f GROUP BY name`
        case "page":
          return slice.query !== null
            ? sql`SELECT p.page AS name, sum(a.impressions) AS impressions, sum(a.clicks) AS clicks, sum(a.sum_top) AS sum_top
                FROM (SELECT f.key, ${added} FROM ${facts.of("queries", slice)} GROUP BY f.key) AS a
                JOIN ranking_pairs p ON p.site = ${slice.site} AND p.id = a.key GROUP BY p.page`
            : sql`SELECT p.page AS name, a.impressions, a.clicks, a.sum_top
            FROM (SELECT f.key, ${added} FROM ${facts.of("pages", slice)} GROUP BY f.key) AS a
            JOIN ranking_pages p ON p.site = ${slice.site} AND p.id = a.key`
        case "query":
          return sql`SELECT p.query AS name, sum(a.impressions) AS impressions, sum(a.clicks) AS clicks, sum(a.sum_top) AS sum_top
            FROM (SELECT f.key, ${added} FROM ${facts.of("queries", slice)} GROUP BY f.key) AS a
            JOIN ranking_pairs p ON p.site = ${slice.site} AND p.id = a.key GROUP BY p.query`
      }
    }

    const listed = (of: Fragment, after: After | undefined, count: number | null, before: Fragment = sql``) =>
      Query.all({
        Request: Schema.Void,
        Result: PerformanceRow,
        execute: () => sql`
          ${before} SELECT name AS key, ${numbers} FROM (${of}) AS g
          WHERE ${
            after === undefined
              ? sql`true`
              : sql`(-impressions, -clicks, name COLLATE "C") > (${-after.impressions}::numeric, ${-after.clicks}::numeric, ${after.key})`
          }
          ORDER BY -impressions, -clicks, name COLLATE "C" LIMIT ${count}`
      })(undefined)

    const named = ({ level, slice: { site } }: Range, sums: Fragment): Fragment =>
      level === "pages"
        ? sql`SELECT p.page AS name, a.* FROM (${sums}) AS a JOIN ranking_pages p ON p.site = ${site} AND p.id = a.key`
        : sql`SELECT p.query AS name, a.* FROM (${sums}) AS a
            CROSS JOIN LATERAL (
              SELECT query FROM ranking_pairs WHERE ${pairsOf(sql, site, sql`a.key`)} LIMIT 1
            ) AS p`

    /** Reads a table from the stored sums by month. */
    const kept = Effect.fnUntraced(function* (
      level: "pages" | "queries",
      slice: Slice,
      after: After | undefined,
      count: number | null
    ) {
      const range = yield* months.range(level, slice)
      if (range.months.length === 0) return []
      if (count === null || count > sought) return yield* listed(named(range, months.sums(range, null)), after, count)
      const { before, sums } = yield* leaders.most(range, count, after?.impressions ?? null)
      return yield* listed(named(range, sums), after, count, sql`WITH ${before}`)
    })

    /** The level with sums by month for a table, if any. A table of one query, or of queries with a text, is one of all queries. */
    const levelOf = (by: By, slice: Slice): "pages" | "queries" | undefined => {
      if (by === "query") return isKept({ ...slice, query: null }) ? "queries" : undefined
      return by === "page" && isKept(slice) ? "pages" : undefined
    }

    /** All sums of a table by key, and the names of these keys; the keys of tables without sums by month are the names. */
    const whole = Effect.fnUntraced(function* (by: Exclude<By, "date">, slice: Slice) {
      const level = levelOf(by, slice)
      if (level === undefined)
        return {
          named: (sums: Fragment) => sql`SELECT key AS name, a.* FROM (${sums}) AS a`,
          sums: sql`SELECT name AS key, impressions, clicks, sum_top FROM (${grouped(by, slice)}) AS g`
        }
      const { query, ...rest } = slice
      const range = yield* months.range(level, { ...rest, query: null })
      const asked =
        query === null
          ? null
          : sql`(SELECT DISTINCT query_number AS key FROM ranking_pairs WHERE ${ofQuery(sql, slice.site, query)})`
      const sums =
        query === null || asked === null
          ? months.sums(range, null)
          : "exact" in query
            ? months.sums(range, asked)
            : sql`SELECT * FROM (${months.sums(range, null)}) AS s WHERE key IN ${asked}`
      return { named: (sums: Fragment) => named(range, sums), sums }
    })

    /** A page of a table in any order, from all its sums. Texts are looked up for the rows of the page, and rows equal to its last one. */
    const sorted = Effect.fnUntraced(function* (
      by: Exclude<By, "date">,
      slice: Slice,
      previous: Slice | undefined,
      order: Order,
      after: After | undefined,
      count: number | null
    ) {
      const now = yield* whole(by, slice)
      const before = previous === undefined || !isOfChange(order) ? undefined : yield* whole(by, previous)
      const all =
        before === undefined
          ? now.sums
          : sql`SELECT key, coalesce(n.impressions, 0) AS impressions, coalesce(n.clicks, 0) AS clicks, coalesce(n.sum_top, 0) AS sum_top,
              coalesce(b.impressions, 0) AS before_impressions, coalesce(b.clicks, 0) AS before_clicks, coalesce(b.sum_top, 0) AS before_top
            FROM (${now.sums}) AS n FULL JOIN (${before.sums}) AS b USING (key)`
      const value = sql.literal(`coalesce(${order.isDescending ? "-" : ""}(${values[order.by]}), 'infinity')`)
      const place = sql`rank, -impressions, -clicks`
      const last =
        after === undefined
          ? undefined
          : sql`${after.rank ?? -after.impressions}::float8, ${-after.impressions}::numeric, ${-after.clicks}::numeric`
      const first = sql`(SELECT * FROM ranked WHERE ${last === undefined ? sql`true` : sql`(${place}) > (${last})`}
        ORDER BY ${place} FETCH FIRST ${count ?? Number.MAX_SAFE_INTEGER} ROWS WITH TIES)`
      const near =
        last === undefined ? first : sql`SELECT * FROM ranked WHERE (${place}) = (${last}) UNION ALL ${first}`
      return yield* Query.all({
        Request: Schema.Void,
        Result: PerformanceRow,
        execute: () => sql`
          WITH ranked AS MATERIALIZED (SELECT *, ${value} AS rank FROM (${all}) AS a)
          SELECT name AS key, ${numbers}${before === undefined ? sql`` : sql`, ${earlier}`} FROM (${now.named(near)}) AS g
          WHERE ${after === undefined ? sql`true` : sql`(${place}, name COLLATE "C") > (${last ?? sql``}, ${after.key})`}
          ORDER BY ${place}, name COLLATE "C" LIMIT ${count}`
      })(undefined)
    })

    const earlier = sql`CASE WHEN before_impressions > 0 THEN json_build_object(
      'impressions', before_impressions, 'clicks', before_clicks, 'ctr', before_clicks::float8 / before_impressions::float8,
      'position', ranking_ratio(before_top, before_impressions)) END AS previous`

    /** The rows of a table with the given keys. */
    const among = Effect.fnUntraced(function* (by: Exclude<By, "date">, slice: Slice, keys: ReadonlyArray<string>) {
      const level = levelOf(by, slice)
      const texts = sql`unnest(${keys}::text[]) AS name`
      if (level === undefined)
        return yield* listed(
          sql`SELECT * FROM (${grouped(by, slice)}) AS g WHERE name IN (SELECT name FROM ${texts})`,
          undefined,
          null
        )
      const range = yield* months.range(level, { ...slice, query: null })
      const ids =
        level === "queries"
          ? sql`SELECT name, ranking_query_number(name) AS key FROM ${texts}`
          : sql`SELECT name, p.id AS key FROM ${texts} JOIN ranking_pages p ON p.site = ${slice.site} AND p.key = md5(name)::uuid`
      return yield* listed(
        sql`SELECT name, s.* FROM asked JOIN (${months.sums(range, sql`asked`)}) AS s USING (key)`,
        undefined,
        null,
        sql`WITH asked AS MATERIALIZED (${ids})`
      )
    })

    /** A page of a table. The slice of the other period is needed for an order by change alone. */
    const rows = (
      by: Exclude<By, "date">,
      slice: Slice,
      after: After | undefined,
      count: number | null,
      order: Order = usual,
      previous?: Slice
    ) => {
      if (slice.query !== null || !isUsual(order)) return sorted(by, slice, previous, order, after, count)
      const level = levelOf(by, slice)
      return level === undefined ? listed(grouped(by, slice), after, count) : kept(level, slice, after, count)
    }

    /** Whether a relation has more rows than `most`; counting ends there. */
    const isMore = (rows: Fragment, most: number) =>
      Effect.map(
        Query.one({
          Request: Schema.Void,
          Result: Schema.Struct({ more: Schema.Boolean }),
          execute: () => sql`SELECT count(*) > ${most} AS more FROM (SELECT FROM ${rows} LIMIT ${most + 1}) AS counted`
        })(undefined),
        ({ more }) => more
      )

    /** The parameter that makes a table too large, if any. */
    const refusedBy = Effect.fnUntraced(function* (by: By, slice: Slice, order: Order) {
      const { days, query, site } = slice
      const level = levelOf(by, slice)
      const isSearch = query !== null && "contains" in query
      if (isSearch && (yield* isMore(sql`ranking_pairs WHERE site = ${site}`, atMost.pairs))) return "query_contains"
      if (level === undefined) {
        const facts = sql`ranking_query_facts WHERE site = ${site} AND day BETWEEN ${days.start}::date AND ${days.end}::date`
        return isSearch && (yield* isMore(facts, atMost.facts)) ? "query_contains" : null
      }
      if (query === null ? isUsual(order) : !isSearch) return null
      const range = yield* months.range(level, { ...slice, query: null })
      return (yield* months.isLarge(range, isOfChange(order) ? atMost.sums / 2 : atMost.sums))
        ? isSearch
          ? "query_contains"
          : "sort"
        : null
    })

    /** The newest day with any data. */
    const newest = Query.one({
      Request: Schema.Int,
      Result: Schema.Struct({ day: Schema.NullOr(Schema.String) }),
      execute: (site) => sql`SELECT max(day)::text AS day FROM ranking_days WHERE site = ${site}`
    })

    /** A fingerprint of the days of a table, and of days before: their sums at every level. Any change of the table's rows changes a sum. */
    const state = Query.one({
      Request: Schema.Struct({ before: Days, end: Schema.String, site: Schema.Int, start: Schema.String }),
      Result: Schema.Struct({ state: Schema.String }),
      execute: ({ before, end, site, start }) => sql`
        SELECT md5(coalesce(string_agg(concat_ws(' ', day, level, impressions, clicks, sum_top, segments), ',' ORDER BY day, level), '')) AS state
        FROM ranking_days WHERE site = ${site}
          AND (day BETWEEN ${start}::date AND ${end}::date OR day BETWEEN ${before.start}::date AND ${before.end}::date)`
    })

    /** One row for each known day, including days without impressions. */
    const byDate = (slice: Slice) =>
      Query.all({
        Request: Schema.Void,
        Result: PerformanceRow,
        execute: () => sql`
          SELECT day::text AS key, ${numbers} FROM (
            SELECT day, coalesce(sum(impressions), 0) AS impressions, coalesce(sum(clicks), 0) AS clicks, coalesce(sum(sum_top), 0) AS sum_top
            FROM (${
              slice.query === null
                ? sql`${facts.known("property", slice)} UNION ${facts.known("pages", slice)}`
                : facts.known("queries", slice)
            }) AS d
            LEFT JOIN (${facts.totals(slice, sql`f.day, ${raw}`)}) AS f USING (day) GROUP BY day
          ) AS g ORDER BY day`
      })(undefined)

    const sums = (of: Fragment) =>
      Query.one({
        Request: Schema.Void,
        Result: Sums,
        execute: () => sql`
          SELECT sum(impressions)::float8 AS impressions, sum(clicks)::float8 AS clicks,
            ranking_ratio(sum(sum_top), sum(impressions)) AS position, array_agg(DISTINCT source) FILTER (WHERE source IS NOT NULL) AS sources FROM (${of}) AS f`
      })(undefined)

    const totals = (slice: Slice) => sums(facts.totals(slice, raw))

    /** The sums over all known queries. Totals also include anonymised queries. */
    const queries = (slice: Slice) =>
      sums(sql`SELECT ${raw}, NULL::text AS source FROM ${facts.sums("queries", slice)}`)

    /** The number of days with queries, by their data for countries and devices. */
    const segments = Query.one({
      Request: Schema.Struct({ end: Schema.String, site: Schema.Int, start: Schema.String }),
      Result: Segments,
      execute: ({ end, site, start }) => sql`
        SELECT count(*) FILTER (WHERE segments IN ('complete', 'bulk'))::int AS complete, count(*) FILTER (WHERE segments = 'partial')::int AS partial,
          count(*) FILTER (WHERE segments IS NULL)::int AS unknown
        FROM ranking_days WHERE site = ${site} AND level = 'queries' AND day BETWEEN ${start}::date AND ${end}::date`
    })

    /** The list of a project's rankings. */
    const list = Query.first({
      Request: OwnedId(ProjectId),
      Result: Schema.Struct({
        coverage: Schema.NullOr(Coverage),
        end: Schema.String,
        statuses: StatusCounts
      }),
      execute: (project) => sql`
        SELECT period_end::text AS end, coverage, statuses FROM ranking_generations
        WHERE site_id = ${project} AND published IS NOT NULL AND superseded IS NULL`
    })

    const cannibalised = (slice: Slice) =>
      Query.all({
        Request: Schema.Void,
        Result: Cannibalised,
        execute: () => sql`
          WITH pages AS (
            SELECT p.query, p.page, a.*, sum(a.impressions) OVER q AS of_query, sum(a.clicks) OVER q AS clicks_of_query, max(a.impressions) OVER q AS largest
            FROM (SELECT f.key, ${added} FROM ${facts.of("queries", slice)} GROUP BY f.key) AS a
            JOIN ranking_pairs p ON p.site = ${slice.site} AND p.id = a.key WINDOW q AS (PARTITION BY p.query)
          )
          SELECT query, of_query::float8 AS impressions, clicks_of_query::float8 AS clicks,
            json_agg(json_build_object('page_path', page, 'impressions', impressions, 'clicks', clicks,
              'position', ranking_ratio(sum_top, impressions), 'share', impressions::float8 / of_query::float8)
              ORDER BY impressions DESC, clicks DESC, page COLLATE "C") AS pages
          FROM pages WHERE ${sql.literal(competes)}
          GROUP BY query, of_query, clicks_of_query, largest HAVING count(*) >= 2
          ORDER BY of_query - largest DESC, query COLLATE "C" LIMIT 1000`
      })(undefined)

    return { among, byDate, cannibalised, list, newest, queries, refusedBy, rows, segments, state, totals }
  })
}) {}
