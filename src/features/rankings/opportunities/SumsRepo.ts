import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { Days } from "../Days.ts"
import { leastImpressions } from "./statistics/Spread.ts"
import { lastBin } from "./statistics/Sums.ts"

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
