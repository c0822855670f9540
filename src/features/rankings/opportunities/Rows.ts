import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { Days } from "../Domain.ts"
import { competes } from "../performance/PerformanceRepo.ts"
import { lastBin } from "./statistics/Curve.ts"
import { type Loss, leastClicks, type Parts } from "./statistics/Decay.ts"
import { leastImpressions, type Point } from "./statistics/LowCtr.ts"
import type { Windows } from "./Weeks.ts"

// A computation keeps three temporary tables until its transaction ends. `opportunity_queries` has the sums of the current window by device, query and page.
// `opportunity_pages` has the sums of both windows by device and page, with the clicks of each week. Assessed rows have a key: 1, 2, 3, … `opportunity_records`
// has the found records, until all are sorted.

/** The scope of sums: days of a site, for devices; the empty name means all devices. */
export interface Scope {
  readonly site: number
  readonly days: Days
  readonly devices: ReadonlyArray<string>
}

/** Facts by device: the whole under the empty name, and each known device. */
const byDevice = (sql: SqlClient.SqlClient, table: string, { days, devices, site }: Scope, columns: Fragment) => {
  const of = sql`f.site = ${site} AND f.day BETWEEN ${days.start}::date AND ${days.end}::date`
  return sql`
    SELECT '' AS device, ${columns} FROM ${sql(table)} f WHERE ${of} AND f.counts & 1 = 1 AND '' = ANY(${devices}::text[])
    UNION ALL SELECT v.device, ${columns} FROM ${sql(table)} f JOIN ranking_variants v ON v.site = f.site AND v.id = f.variant
    WHERE ${of} AND f.counts & 4 <> 0 AND v.device <> '' AND v.device = ANY(${devices}::text[])`
}

/** The request for rows after a key, in the order of their keys. */
const Page = Schema.Struct({ after: Schema.Int, count: Schema.Int })

const measured = { clicks: Schema.Number, impressions: Schema.Number, top: Schema.Number }

/** The sums of one bin of a cell. */
const CellBin = Schema.Struct({
  ...measured,
  brand: Schema.Boolean,
  device: Schema.String,
  position: Schema.Int,
  rows: Schema.Number,
  squares: Schema.Number
})
export type CellBin = typeof CellBin.Type

/** A row of a cell that may be assessed. */
const CellRow = Schema.Struct({ ...measured, brand: Schema.Boolean, device: Schema.String, key: Schema.Int })
export type CellRow = typeof CellRow.Type

/** The fewest days as the first page of a query, for at least two pages. */
const leastDays = 2

/** Sums of the current window by query and page. */
export class QueriesRepo extends Effect.Service<QueriesRepo>()("rankings/opportunities/QueriesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Adds up the window for the devices with known days; the terms define the queries of the brand. */
    const collect = Traced.fn("QueriesRepo.collect")(function* (scope: Scope, brand: ReadonlyArray<string>) {
      yield* sql`
        CREATE TEMPORARY TABLE opportunity_queries ON COMMIT DROP AS
        SELECT CASE WHEN assessed THEN (row_number() OVER (PARTITION BY assessed ORDER BY device, brand, pair))::integer END AS key, s.* FROM (
          SELECT s.device, s.pair, s.impressions, s.clicks, s.top, impressions >= ${leastImpressions} AND top <= ${lastBin} * impressions AS assessed,
            EXISTS (SELECT FROM unnest(${brand}::text[]) AS term WHERE strpos(coalesce(p.folded, p.query), term) > 0) AS brand
          FROM (
            SELECT device, pair, sum(impressions) AS impressions, sum(clicks) AS clicks, sum(top) AS top
            FROM (${byDevice(sql, "ranking_query_facts", scope, sql`f.key AS pair, f.impressions, f.clicks, f.sum_top AS top`)}) AS f GROUP BY device, pair
          ) AS s JOIN ranking_pairs p ON p.site = ${scope.site} AND p.id = s.pair
        ) AS s`
      yield* sql`CREATE UNIQUE INDEX ON opportunity_queries (key) WHERE key IS NOT NULL`
      yield* sql`ANALYZE opportunity_queries`
    }, Effect.orDie)

    /** The bins of all cells: the nearest whole position, half rounded up, by exact fractions. */
    const bins = Query.all({
      Request: Schema.Void,
      Result: CellBin,
      execute: () => sql`
        SELECT device, brand, div(2 * top + impressions, 2 * impressions)::integer AS position, count(*)::float8 AS rows,
          sum(impressions)::float8 AS impressions, sum(clicks)::float8 AS clicks, sum(top)::float8 AS top, sum(impressions * impressions)::float8 AS squares
        FROM opportunity_queries WHERE 2 * top < ${2 * lastBin + 1} * impressions GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`
    })(undefined)

    /** The rows that may be assessed, cell by cell. */
    const page = Query.all({
      Request: Page,
      Result: CellRow,
      execute: ({ after, count }) => sql`
        SELECT key, device, brand, impressions::float8 AS impressions, clicks::float8 AS clicks, top::float8 AS top
        FROM opportunity_queries WHERE key > ${after} AND key <= ${after + count} ORDER BY key`
    })

    /** Queries with at least two pages of ten impressions; others need no sums. */
    const candidates = ({ site }: Scope) => sql`
      SELECT q.device, p.query FROM opportunity_queries q JOIN ranking_pairs p ON p.site = ${site} AND p.id = q.pair
      WHERE q.impressions >= 10 GROUP BY q.device, p.query HAVING count(*) >= 2`

    /** The pages that compete for a query, by descending impressions. */
    const rivals = ({ site }: Scope) => sql`
      SELECT * FROM (
        SELECT *, count(*) OVER (PARTITION BY device, query) AS rivals,
          row_number() OVER (PARTITION BY device, query ORDER BY impressions DESC, clicks DESC, page COLLATE "C") AS place
        FROM (
          SELECT q.*, p.query, p.page, sum(q.impressions) OVER q AS of_query, sum(q.clicks) OVER q AS clicks_of_query, sum(q.top) OVER q AS top_of_query
          FROM opportunity_queries q JOIN ranking_pairs p ON p.site = ${site} AND p.id = q.pair
          JOIN candidates c ON c.device = q.device AND c.query = p.query
          WINDOW q AS (PARTITION BY q.device, p.query)
        ) AS s WHERE ${sql.literal(competes)}
      ) AS s WHERE rivals >= 2`

    /** Days on which each page was the first: the page with the most impressions, then clicks, then by path. */
    const winners = (scope: Scope) => sql`
      SELECT device, pair, count(*) AS days FROM (
        SELECT DISTINCT ON (device, query, day) device, pair FROM (
          SELECT f.device, r.query, r.page, f.pair, f.day, sum(f.impressions) AS impressions, sum(f.clicks) AS clicks
          FROM (${byDevice(sql, "ranking_query_facts", scope, sql`f.key AS pair, f.day, f.impressions, f.clicks`)}) AS f
          JOIN rivals r ON r.device = f.device AND r.pair = f.pair GROUP BY f.device, r.query, r.page, f.pair, f.day
        ) AS f ORDER BY device, query, day, impressions DESC, clicks DESC, page COLLATE "C"
      ) AS w GROUP BY device, pair`

    /** Records the queries with several competing pages and a first page that changes from day to day. */
    const compete = Traced.fn("QueriesRepo.compete")(function* (scope: Scope) {
      yield* sql`
        WITH candidates AS MATERIALIZED (${candidates(scope)}), rivals AS MATERIALIZED (${rivals(scope)}), winners AS MATERIALIZED (${winners(scope)})
        INSERT INTO opportunity_records (kind, device, brand, clicks_low, clicks_high, impressions, clicks, top, page, query, evidence, significant)
        SELECT 'cannibalisation', r.device, r.brand, 0, greatest(0, coalesce(
            (max(r.clicks) FILTER (WHERE place = 1))::float8 / (max(r.impressions) FILTER (WHERE place = 1))::float8
              * (sum(r.impressions) FILTER (WHERE place > 1))::float8 - (sum(r.clicks) FILTER (WHERE place > 1))::float8, 0)),
          of_query, clicks_of_query, top_of_query, min(page) FILTER (WHERE place = 1), query,
          json_build_object('pages', json_agg(json_build_object('page_path', page, 'impressions', r.impressions, 'clicks', r.clicks,
            'ctr', r.clicks::float8 / r.impressions::float8, 'position', ranking_ratio(r.top, r.impressions),
            'share', r.impressions::float8 / of_query::float8, 'days_first', coalesce(w.days, 0)) ORDER BY place)), true
        FROM rivals r LEFT JOIN winners w ON w.device = r.device AND w.pair = r.pair
        GROUP BY r.device, r.brand, query, of_query, clicks_of_query, top_of_query HAVING count(*) FILTER (WHERE w.days >= ${leastDays}) >= 2`
    }, Effect.orDie)

    return { bins, collect, compete, page }
  })
}) {}

/** Clicks by week, by its distance from the newest one. */
const Clicks = Schema.Record({ key: Schema.String, value: Schema.Number })

/** A page with its sums of both windows, and its clicks by week. */
const PageRow = Schema.Struct({
  before_clicks: Schema.Number,
  before_impressions: Schema.Number,
  before_top: Schema.Number,
  device: Schema.String,
  key: Schema.Int,
  now_clicks: Schema.Number,
  now_impressions: Schema.Number,
  now_top: Schema.Number,
  weeks: Clicks
})
export type PageRow = typeof PageRow.Type

/** Sums of pages by week, anonymised queries included. */
export class PagesRepo extends Effect.Service<PagesRepo>()("rankings/opportunities/PagesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const week = (scope: Scope) =>
      sql`f.key AS page, (${scope.days.end}::date - f.day) / 7 AS week, f.impressions, f.clicks, f.sum_top AS top`

    /** Adds up the weeks of the devices with two known windows. */
    const collect = Traced.fn("PagesRepo.collect")(function* (scope: Scope) {
      yield* sql`
        CREATE TEMPORARY TABLE opportunity_pages ON COMMIT DROP AS
        SELECT CASE WHEN assessed THEN (row_number() OVER (PARTITION BY assessed ORDER BY device, page))::integer END AS key, p.* FROM (
          SELECT device, page, json_object_agg(week, clicks) AS weeks,
            coalesce(sum(clicks) FILTER (WHERE week BETWEEN 4 AND 7), 0) >= ${leastClicks} AS assessed,
            coalesce(sum(impressions) FILTER (WHERE week BETWEEN 4 AND 7), 0) AS before_impressions,
            coalesce(sum(clicks) FILTER (WHERE week BETWEEN 4 AND 7), 0) AS before_clicks, coalesce(sum(top) FILTER (WHERE week BETWEEN 4 AND 7), 0) AS before_top,
            coalesce(sum(impressions) FILTER (WHERE week < 4), 0) AS now_impressions,
            coalesce(sum(clicks) FILTER (WHERE week < 4), 0) AS now_clicks, coalesce(sum(top) FILTER (WHERE week < 4), 0) AS now_top
          FROM (
            SELECT device, page, week, sum(impressions) AS impressions, sum(clicks) AS clicks, sum(top) AS top
            FROM (${byDevice(sql, "ranking_page_facts", scope, week(scope))}) AS f GROUP BY device, page, week
          ) AS w GROUP BY device, page
        ) AS p`
      yield* sql`CREATE UNIQUE INDEX ON opportunity_pages (key) WHERE key IS NOT NULL`
      yield* sql`ANALYZE opportunity_pages`
    }, Effect.orDie)

    /** The pages with enough earlier clicks. */
    const page = Query.all({
      Request: Page,
      Result: PageRow,
      execute: ({ after, count }) => sql`
        SELECT key, device, weeks, before_impressions::float8 AS before_impressions, before_clicks::float8 AS before_clicks, before_top::float8 AS before_top,
          now_impressions::float8 AS now_impressions, now_clicks::float8 AS now_clicks, now_top::float8 AS now_top
        FROM opportunity_pages WHERE key > ${after} AND key <= ${after + count} ORDER BY key`
    })

    /** The paths of pages by their keys. */
    const paths = Query.all({
      Request: Schema.Struct({ keys: Schema.Array(Schema.Int), site: Schema.Int }),
      Result: Schema.Struct({ key: Schema.Int, path: Schema.String }),
      execute: ({ keys, site }) => sql`
        SELECT o.key, p.page AS path FROM opportunity_pages o JOIN ranking_pages p ON p.site = ${site} AND p.id = o.page
        WHERE o.key = ANY (${keys}::integer[])`
    })

    /** The clicks of pages by week, on all devices together; a page without facts in these weeks is left out. */
    const weeks = Query.all({
      Request: Schema.Struct({ paths: Schema.Array(Schema.String), site: Schema.Int }),
      Result: Schema.Struct({ path: Schema.String, weeks: Clicks }),
      execute: ({ paths, site }) => sql`
        SELECT p.page AS path, o.weeks FROM unnest(${paths}::text[]) AS path
        JOIN ranking_pages p ON p.site = ${site} AND p.key = md5(path)::uuid JOIN opportunity_pages o ON o.device = '' AND o.page = p.id`
    })

    return { collect, page, paths, weeks }
  })
}) {}

/** A found row of queries: its key, its gain, and its evidence as JSON. */
export interface Found {
  readonly kind: "striking_distance" | "low_ctr"
  readonly key: number
  /** The lists with the row: of all queries, of its half (with or without the brand), or both. */
  readonly lists: "any" | "both" | "own"
  readonly clicksLow: number
  readonly clicksHigh: number
  readonly isSignificant: boolean
  readonly evidence: object
}

/** A page that lost clicks: its key, with the parts of the change. */
interface Fallen {
  readonly loss: Loss<number>
  readonly parts: Parts
}

/** The property's change a year ago, as evidence; null if unknown. */
export type Year = {
  readonly property_before: number
  readonly property_after: number
  readonly season: boolean
} | null

/** The records of a generation: collected, sorted, stored. */
export class FoundRepo extends Effect.Service<FoundRepo>()("rankings/opportunities/FoundRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const open = Effect.orDie(sql`
      CREATE TEMPORARY TABLE opportunity_records (
        kind text, device text, brand boolean, lists text, clicks_low float8, clicks_high float8, impressions numeric, clicks numeric, top numeric,
        page text, query text, evidence json, significant boolean NOT NULL) ON COMMIT DROP`)

    const add = (site: number, found: ReadonlyArray<Found>) =>
      Effect.orDie(sql`
        INSERT INTO opportunity_records
        SELECT f.kind, q.device, q.brand, f.lists, f.clicks_low, f.clicks_high, q.impressions, q.clicks, q.top, p.page, p.query, f.evidence::json, f.significant
        FROM unnest(${found.map(({ kind }) => kind)}::text[], ${found.map(({ key }) => key)}::integer[],
          ${found.map(({ lists }) => lists)}::text[], ${found.map(({ clicksLow }) => clicksLow)}::float8[],
          ${found.map(({ clicksHigh }) => clicksHigh)}::float8[], ${found.map(({ evidence }) => JSON.stringify(evidence))}::text[],
          ${found.map(({ isSignificant }) => isSignificant)}::boolean[]
        ) AS f (kind, key, lists, clicks_low, clicks_high, evidence, significant)
        JOIN opportunity_queries q ON q.key = f.key JOIN ranking_pairs p ON p.site = ${site} AND p.id = q.pair`)

    /** Adds pages that lost clicks. The windows are a year ago; `year` is the property's change in them. */
    const addFallen = (scope: Scope, { current, previous }: Windows, year: Year, fallen: ReadonlyArray<Fallen>) =>
      Effect.orDie(sql`
        WITH fallen AS MATERIALIZED (
          SELECT * FROM unnest(${fallen.map(({ loss }) => loss.page)}::integer[], ${fallen.map(({ loss }) => loss.clicksLow)}::float8[],
            ${fallen.map(({ loss }) => loss.clicksHigh)}::float8[],
            ${fallen.map(({ loss: { p, q }, parts }) => JSON.stringify({ p_value: p, parts, q_value: q }))}::json[],
            ${fallen.map(({ loss }) => loss.isSignificant)}::boolean[]
          ) AS f (key, clicks_low, clicks_high, found, significant) JOIN opportunity_pages USING (key)
        ), years AS (
          SELECT page, coalesce(sum(clicks) FILTER (WHERE day < ${current.start}::date), 0) AS before,
            coalesce(sum(clicks) FILTER (WHERE day >= ${current.start}::date), 0) AS after
          FROM (${byDevice(sql, "ranking_page_facts", { ...scope, days: { end: current.end, start: previous.start } }, sql`f.key AS page, f.day, f.clicks`)}) AS f
          WHERE page IN (SELECT page FROM fallen) GROUP BY page
        )
        INSERT INTO opportunity_records
        SELECT 'decay', f.device, NULL, 'any', f.clicks_low, f.clicks_high, f.now_impressions, f.now_clicks, f.now_top, p.page, NULL,
          json_build_object('before', json_build_object('impressions', f.before_impressions, 'clicks', f.before_clicks,
              'ctr', f.before_clicks::float8 / f.before_impressions::float8, 'position', ranking_ratio(f.before_top, f.before_impressions)),
            'parts', f.found -> 'parts', 'year_ago', CASE WHEN ${year !== null} THEN json_build_object('before', coalesce(y.before, 0),
              'after', coalesce(y.after, 0), 'property_before', ${year?.property_before ?? 0}::float8, 'property_after', ${year?.property_after ?? 0}::float8,
              'season', ${year?.season ?? false}::boolean) END,
            'p_value', f.found -> 'p_value', 'q_value', f.found -> 'q_value'), f.significant
        FROM fallen f JOIN ranking_pages p ON p.site = ${scope.site} AND p.id = f.page LEFT JOIN years y ON y.page = f.page`)

    /** Stores each record in the list of all queries and in the list of its half, in the order of the contract. */
    const store = Traced.fn("FoundRepo.store")(function* (generation: string) {
      yield* sql`
        INSERT INTO ranking_opportunities (generation, kind, device, brand, place, significant, record)
        SELECT ${generation}::bigint, kind, device, list, row_number() OVER (PARTITION BY kind, device, list
            ORDER BY significant DESC, clicks_low DESC, clicks_high DESC, impressions DESC, page COLLATE "C", query COLLATE "C"), significant,
          json_build_object('kind', kind, 'query', query, 'page_path', page, 'impressions', impressions, 'clicks', clicks,
            'ctr', CASE WHEN impressions = 0 THEN 0 ELSE clicks::float8 / impressions::float8 END, 'position', ranking_ratio(top, impressions),
            'gain', json_build_object('clicks_low', clicks_low, 'clicks_high', clicks_high), 'significant', significant, 'evidence', evidence)::text
        FROM opportunity_records r CROSS JOIN LATERAL (
          SELECT 'any' AS list WHERE r.lists IS DISTINCT FROM 'own'
          UNION ALL SELECT r.brand::text WHERE r.brand IS NOT NULL AND r.lists IS DISTINCT FROM 'any'
        ) AS l`
    }, Effect.orDie)

    const storeCurve = (generation: string, device: string, brand: boolean, points: ReadonlyArray<Point>) =>
      Effect.orDie(sql`
        INSERT INTO ranking_curves (generation, device, brand, position, rows, impressions, clicks, ctr, low, high)
        SELECT ${generation}::bigint, ${device}, ${brand}::boolean, * FROM unnest(${points.map(({ position }) => position)}::smallint[],
          ${points.map(({ rows }) => rows)}::bigint[], ${points.map(({ impressions }) => impressions)}::bigint[],
          ${points.map(({ clicks }) => clicks)}::bigint[], ${points.map(({ rate }) => rate)}::float8[],
          ${points.map(({ interval }) => interval.low)}::float8[], ${points.map(({ interval }) => interval.high)}::float8[])`)

    return { add, addFallen, open, store, storeCurve }
  })
}) {}
