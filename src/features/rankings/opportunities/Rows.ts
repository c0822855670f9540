import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { Days } from "../Domain.ts"
import { competes } from "../performance/PerformanceRepo.ts"
import { lastBin } from "./statistics/Curve.ts"
import type { Loss, Parts } from "./statistics/Decay.ts"
import { leastImpressions, type Point } from "./statistics/LowCtr.ts"

/** A row that was found: by its key, with its gain and its evidence as JSON. */
export interface Found {
  readonly kind: "striking_distance" | "low_ctr"
  readonly key: number
  /** The lists that have it: of all queries, of its own half (of the brand or not), or both. */
  readonly lists: "any" | "both" | "own"
  readonly clicksLow: number
  readonly clicksHigh: number
  readonly evidence: object
}

/** A page that lost clicks: by its key, with the parts of the change. */
interface Fallen {
  readonly loss: Loss<number>
  readonly parts: Parts
}

/** What the whole property did a year ago, as evidence; null where it is not known. */
export type Year = {
  readonly property_before: number
  readonly property_after: number
  readonly season: boolean
} | null

/** The records of a generation: collected, put in order, stored. */
export class RecordsRepo extends Effect.Service<RecordsRepo>()("rankings/opportunities/RecordsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const open = Effect.orDie(
      Effect.all(
        [
          sql`CREATE TEMPORARY TABLE opportunity_records (
            kind text, device text, brand boolean, lists text, clicks_low float8, clicks_high float8, impressions numeric, clicks numeric, top numeric,
            page text, query text, evidence json) ON COMMIT DROP`,
          sql`CREATE TEMPORARY TABLE opportunity_found (
            kind text, key integer, lists text, clicks_low float8, clicks_high float8, evidence text) ON COMMIT DROP`,
          sql`CREATE TEMPORARY TABLE opportunity_fallen (key integer, clicks_low float8, clicks_high float8, evidence text) ON COMMIT DROP`
        ],
        { discard: true }
      )
    )

    const add = (found: ReadonlyArray<Found>) =>
      Effect.orDie(sql`
        INSERT INTO opportunity_found SELECT * FROM unnest(${found.map(({ kind }) => kind)}::text[], ${found.map(({ key }) => key)}::integer[],
          ${found.map(({ lists }) => lists)}::text[], ${found.map(({ clicksLow }) => clicksLow)}::float8[],
          ${found.map(({ clicksHigh }) => clicksHigh)}::float8[], ${found.map(({ evidence }) => JSON.stringify(evidence))}::text[])`)

    const addFallen = (fallen: ReadonlyArray<Fallen>) =>
      Effect.orDie(sql`
        INSERT INTO opportunity_fallen SELECT * FROM unnest(${fallen.map(({ loss }) => loss.page)}::integer[],
          ${fallen.map(({ loss }) => loss.clicksLow)}::float8[], ${fallen.map(({ loss }) => loss.clicksHigh)}::float8[],
          ${fallen.map(({ loss: { p, q }, parts }) => JSON.stringify({ p_value: p, parts, q_value: q }))}::text[])`)

    const rows = ({ site }: { readonly site: number }) => sql`
      INSERT INTO opportunity_records
      SELECT f.kind, r.device, r.brand, f.lists, f.clicks_low, f.clicks_high, r.impressions, r.clicks, r.top, p.page, p.query, f.evidence::json
      FROM opportunity_found f JOIN opportunity_rows r ON r.key = f.key JOIN ranking_pairs p ON p.site = ${site} AND p.id = r.pair`

    const pages = ({ site, year }: { readonly site: number; readonly year: Year }) => sql`
      INSERT INTO opportunity_records
      SELECT 'decay', p.device, NULL, 'any', f.clicks_low, f.clicks_high, p.now_impressions, p.now_clicks, p.now_top, t.page, NULL,
        json_build_object('before', json_build_object('impressions', p.before_impressions, 'clicks', p.before_clicks,
            'ctr', p.before_clicks::float8 / p.before_impressions::float8, 'position', ranking_ratio(p.before_top, p.before_impressions)),
          'parts', f.evidence::json -> 'parts', 'year_ago', CASE WHEN ${year !== null} THEN json_build_object('before', coalesce(y.before, 0),
            'after', coalesce(y.after, 0), 'property_before', ${year?.property_before ?? 0}::float8, 'property_after', ${year?.property_after ?? 0}::float8,
            'season', ${year?.season ?? false}::boolean) END,
          'p_value', f.evidence::json -> 'p_value', 'q_value', f.evidence::json -> 'q_value')
      FROM opportunity_fallen f JOIN opportunity_pages p ON p.key = f.key JOIN ranking_pages t ON t.site = ${site} AND t.id = p.page
      LEFT JOIN opportunity_years y ON y.device = p.device AND y.page = p.page`

    /** Each record stands in the list of all queries and in that of its half, in the order of the contract. */
    const listed = (generation: string) => sql`
      INSERT INTO ranking_opportunities (generation, kind, device, brand, place, record)
      SELECT ${generation}::bigint, kind, device, list, row_number() OVER (PARTITION BY kind, device, list
          ORDER BY clicks_low DESC, clicks_high DESC, impressions DESC, page COLLATE "C", query COLLATE "C"),
        json_build_object('kind', kind, 'query', query, 'page_path', page, 'impressions', impressions, 'clicks', clicks,
          'ctr', CASE WHEN impressions = 0 THEN 0 ELSE clicks::float8 / impressions::float8 END, 'position', ranking_ratio(top, impressions),
          'gain', json_build_object('clicks_low', clicks_low, 'clicks_high', clicks_high), 'evidence', evidence)::text
      FROM opportunity_records r CROSS JOIN LATERAL (
        SELECT 'any' AS list WHERE r.lists IS DISTINCT FROM 'own'
        UNION ALL SELECT r.brand::text WHERE r.brand IS NOT NULL AND r.lists IS DISTINCT FROM 'any'
      ) AS l`

    const store = Traced.fn("RecordsRepo.store")(function* (generation: string, site: number, year: Year) {
      yield* rows({ site })
      yield* pages({ site, year })
      yield* listed(generation)
    }, Effect.orDie)

    const storeCurve = (generation: string, device: string, brand: boolean, points: ReadonlyArray<Point>) =>
      Effect.orDie(sql`
        INSERT INTO ranking_curves (generation, device, brand, position, rows, impressions, clicks, ctr, low, high)
        SELECT ${generation}::bigint, ${device}, ${brand}::boolean, * FROM unnest(${points.map(({ position }) => position)}::smallint[],
          ${points.map(({ rows }) => rows)}::bigint[], ${points.map(({ impressions }) => impressions)}::bigint[],
          ${points.map(({ clicks }) => clicks)}::bigint[], ${points.map(({ rate }) => rate)}::float8[],
          ${points.map(({ interval }) => interval.low)}::float8[], ${points.map(({ interval }) => interval.high)}::float8[])`)

    /** What the lists of a generation are of, kept with it. */
    const describe = Query.none({
      Request: Schema.Struct({
        brand: Schema.Array(Schema.String),
        generation: Schema.String,
        summary: Schema.String
      }),
      execute: ({ brand, generation, summary }) => sql`
        UPDATE ranking_generations SET opportunities = ${summary}::json, brand_folded = ${brand}::text[] WHERE id = ${generation}::bigint`
    })

    return { add, addFallen, describe, open, store, storeCurve }
  })
}) {}

/** What is added up: days of a site, for devices; the empty name stands for all of them. */
export interface Scope {
  readonly site: number
  readonly days: Days
  readonly devices: ReadonlyArray<string>
}

/** Facts by device: of the whole under the empty name, and by each device that is known. */
export const byDevice = (
  sql: SqlClient.SqlClient,
  table: string,
  { days, devices, site }: Scope,
  columns: Fragment
) => {
  const of = sql`f.site = ${site} AND f.day BETWEEN ${days.start}::date AND ${days.end}::date`
  return sql`
    SELECT '' AS device, ${columns} FROM ${sql(table)} f WHERE ${of} AND f.counts & 1 = 1 AND '' = ANY(${devices}::text[])
    UNION ALL SELECT v.device, ${columns} FROM ${sql(table)} f JOIN ranking_variants v ON v.site = f.site AND v.id = f.variant
    WHERE ${of} AND f.counts & 4 <> 0 AND v.device <> '' AND v.device = ANY(${devices}::text[])`
}

const measured = { clicks: Schema.Number, impressions: Schema.Number, top: Schema.Number }

/** The sums of one bin of a cell. */
export const CellBin = Schema.Struct({
  ...measured,
  brand: Schema.Boolean,
  device: Schema.String,
  position: Schema.Int,
  rows: Schema.Number,
  squares: Schema.Number
})

/** A row of a cell that may be assessed. */
export const CellRow = Schema.Struct({ ...measured, brand: Schema.Boolean, device: Schema.String, key: Schema.Int })

/** Sums of the current window by query and page, kept in temporary tables until the transaction ends. */
export class SumsRepo extends Effect.Service<SumsRepo>()("rankings/opportunities/SumsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const sums = (scope: Scope, brand: ReadonlyArray<string>) => sql`
      CREATE TEMPORARY TABLE opportunity_sums ON COMMIT DROP AS
      SELECT s.device, s.pair, s.impressions, s.clicks, s.top,
        EXISTS (SELECT FROM unnest(${brand}::text[]) AS term WHERE strpos(coalesce(p.folded, p.query), term) > 0) AS brand
      FROM (
        SELECT device, pair, sum(impressions) AS impressions, sum(clicks) AS clicks, sum(top) AS top
        FROM (${byDevice(sql, "ranking_query_facts", scope, sql`f.key AS pair, f.impressions, f.clicks, f.sum_top AS top`)}) AS f GROUP BY device, pair
      ) AS s JOIN ranking_pairs p ON p.site = ${scope.site} AND p.id = s.pair`

    const rows = sql`
      CREATE TEMPORARY TABLE opportunity_rows ON COMMIT DROP AS
      SELECT (row_number() OVER (ORDER BY device, brand, pair))::integer AS key, * FROM opportunity_sums
      WHERE impressions >= ${leastImpressions} AND top <= ${lastBin} * impressions`

    /** Adds up the window of the devices that it is known for; the terms say which queries are of the brand. */
    const collect = Traced.fn("SumsRepo.collect")(function* (scope: Scope, brand: ReadonlyArray<string>) {
      yield* sums(scope, brand)
      yield* sql`ANALYZE opportunity_sums`
      yield* rows
      yield* sql`CREATE UNIQUE INDEX ON opportunity_rows (key)`
      yield* sql`ANALYZE opportunity_rows`
    }, Effect.orDie)

    /** The bins of all cells: the nearest whole position, a half upwards, by exact fractions. */
    const bins = Query.all({
      Request: Schema.Void,
      Result: CellBin,
      execute: () => sql`
        SELECT device, brand, div(2 * top + impressions, 2 * impressions)::integer AS position, count(*)::float8 AS rows,
          sum(impressions)::float8 AS impressions, sum(clicks)::float8 AS clicks, sum(top)::float8 AS top, sum(impressions * impressions)::float8 AS squares
        FROM opportunity_sums WHERE 2 * top < ${2 * lastBin + 1} * impressions GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`
    })(undefined)

    /** Rows in the order of their keys, cell by cell. */
    const page = Query.all({
      Request: Schema.Struct({ after: Schema.Int, count: Schema.Int }),
      Result: CellRow,
      execute: ({ after, count }) => sql`
        SELECT key, device, brand, impressions::float8 AS impressions, clicks::float8 AS clicks, top::float8 AS top
        FROM opportunity_rows WHERE key > ${after} AND key <= ${after + count} ORDER BY key`
    })

    return { bins, collect, page }
  })
}) {}

/** Days on which a page must be the first one of a query, for at least two of its pages. */
const leastDays = 2

/** Finds queries that several pages compete for and in which the first page changes from day to day. */
export class RivalsRepo extends Effect.Service<RivalsRepo>()("rankings/opportunities/RivalsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Queries with two pages or more of ten impressions: the others need not be added up. */
    const candidates = ({ site }: Scope) => sql`
      CREATE TEMPORARY TABLE opportunity_candidates ON COMMIT DROP AS
      SELECT s.device, p.query FROM opportunity_sums s JOIN ranking_pairs p ON p.site = ${site} AND p.id = s.pair
      WHERE s.impressions >= 10 GROUP BY s.device, p.query HAVING count(*) >= 2`

    const rivals = ({ site }: Scope) => sql`
      CREATE TEMPORARY TABLE opportunity_rivals ON COMMIT DROP AS
      SELECT * FROM (
        SELECT *, count(*) OVER (PARTITION BY device, query) AS rivals,
          row_number() OVER (PARTITION BY device, query ORDER BY impressions DESC, clicks DESC, page COLLATE "C") AS place
        FROM (
          SELECT s.*, p.query, p.page, sum(s.impressions) OVER q AS of_query, sum(s.clicks) OVER q AS clicks_of_query, sum(s.top) OVER q AS top_of_query
          FROM opportunity_sums s JOIN ranking_pairs p ON p.site = ${site} AND p.id = s.pair
          JOIN opportunity_candidates c ON c.device = s.device AND c.query = p.query
          WINDOW q AS (PARTITION BY s.device, p.query)
        ) AS s WHERE ${sql.literal(competes)}
      ) AS s WHERE rivals >= 2`

    /** Days on which each of them was the first: the page with the most impressions, then clicks, then by its path. */
    const winners = (scope: Scope) => sql`
      CREATE TEMPORARY TABLE opportunity_winners ON COMMIT DROP AS
      SELECT device, pair, count(*) AS days FROM (
        SELECT DISTINCT ON (device, query, day) device, pair FROM (
          SELECT f.device, r.query, r.page, f.pair, f.day, sum(f.impressions) AS impressions, sum(f.clicks) AS clicks
          FROM (${byDevice(sql, "ranking_query_facts", scope, sql`f.key AS pair, f.day, f.impressions, f.clicks`)}) AS f
          JOIN opportunity_rivals r ON r.device = f.device AND r.pair = f.pair GROUP BY f.device, r.query, r.page, f.pair, f.day
        ) AS f ORDER BY device, query, day, impressions DESC, clicks DESC, page COLLATE "C"
      ) AS w GROUP BY device, pair`

    /** The queries whose first page changes, with their records as they are listed. */
    const collect = Traced.fn("RivalsRepo.collect")(function* (scope: Scope) {
      yield* candidates(scope)
      yield* sql`ANALYZE opportunity_candidates`
      yield* rivals(scope)
      yield* sql`ANALYZE opportunity_rivals`
      yield* winners(scope)
      yield* sql`
        INSERT INTO opportunity_records (kind, device, brand, clicks_low, clicks_high, impressions, clicks, top, page, query, evidence)
        SELECT 'cannibalisation', r.device, r.brand, 0, greatest(0, coalesce(
            (max(r.clicks) FILTER (WHERE place = 1))::float8 / (max(r.impressions) FILTER (WHERE place = 1))::float8
              * (sum(r.impressions) FILTER (WHERE place > 1))::float8 - (sum(r.clicks) FILTER (WHERE place > 1))::float8, 0)),
          of_query, clicks_of_query, top_of_query, min(page) FILTER (WHERE place = 1), query,
          json_build_object('pages', json_agg(json_build_object('page_path', page, 'impressions', r.impressions, 'clicks', r.clicks,
            'ctr', r.clicks::float8 / r.impressions::float8, 'position', ranking_ratio(r.top, r.impressions),
            'share', r.impressions::float8 / of_query::float8, 'days_first', coalesce(w.days, 0)) ORDER BY place))
        FROM opportunity_rivals r LEFT JOIN opportunity_winners w ON w.device = r.device AND w.pair = r.pair
        GROUP BY r.device, r.brand, query, of_query, clicks_of_query, top_of_query HAVING count(*) FILTER (WHERE w.days >= ${leastDays}) >= 2`
    }, Effect.orDie)

    return { collect }
  })
}) {}
