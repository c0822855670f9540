import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Coverage, StatusCounts } from "../Domain.ts"
import { type By, Cannibalised, PerformanceRow, Segments } from "./Api.ts"
import { FactsRepo, isKept, LeadersRepo, MonthsRepo, pairsOf, type Range, type Slice } from "./Facts.ts"

/** The start of a page of rows: impressions, clicks and key of the previous row. */
interface After {
  readonly impressions: number
  readonly clicks: number
  readonly key: string
}

const Sums = Schema.Struct({
  impressions: Schema.NullOr(Schema.Number),
  clicks: Schema.NullOr(Schema.Number),
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
          return sql`SELECT p.page AS name, a.impressions, a.clicks, a.sum_top
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

    const rows = (by: Exclude<By, "date">, slice: Slice, after: After | undefined, count: number | null) =>
      isKept(slice) && (by === "page" || by === "query")
        ? kept(by === "page" ? "pages" : "queries", slice, after, count)
        : listed(grouped(by, slice), after, count)

    /** The newest day with any data. */
    const newest = Query.one({
      Request: Schema.Int,
      Result: Schema.Struct({ day: Schema.NullOr(Schema.String) }),
      execute: (site) => sql`SELECT max(day)::text AS day FROM ranking_days WHERE site = ${site}`
    })

    /** A fingerprint of the days of a table: their sums at every level. Any change of the table's rows changes a sum. */
    const state = Query.one({
      Request: Schema.Struct({ end: Schema.String, site: Schema.Int, start: Schema.String }),
      Result: Schema.Struct({ state: Schema.String }),
      execute: ({ end, site, start }) => sql`
        SELECT md5(coalesce(string_agg(concat_ws(' ', day, level, impressions, clicks, sum_top, segments), ',' ORDER BY day, level), '')) AS state
        FROM ranking_days WHERE site = ${site} AND day BETWEEN ${start}::date AND ${end}::date`
    })

    /** One row for each known day, including days without impressions. */
    const byDate = (slice: Slice) =>
      Query.all({
        Request: Schema.Void,
        Result: PerformanceRow,
        execute: () => sql`
          SELECT day::text AS key, ${numbers} FROM (
            SELECT day, coalesce(sum(impressions), 0) AS impressions, coalesce(sum(clicks), 0) AS clicks, coalesce(sum(sum_top), 0) AS sum_top
            FROM (${facts.known("property", slice)} UNION ${facts.known("pages", slice)}) AS d
            LEFT JOIN (${facts.totals(slice, sql`f.day, ${raw}`)}) AS f USING (day) GROUP BY day
          ) AS g ORDER BY day`
      })(undefined)

    const sums = (of: Fragment) =>
      Query.one({
        Request: Schema.Void,
        Result: Sums,
        execute: () => sql`
          SELECT sum(impressions)::float8 AS impressions, sum(clicks)::float8 AS clicks, array_agg(DISTINCT source) FILTER (WHERE source IS NOT NULL) AS sources FROM (${of}) AS f`
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

    return { byDate, cannibalised, list, newest, queries, rows, segments, state, totals }
  })
}) {}
