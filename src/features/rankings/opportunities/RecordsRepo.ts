import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { Point } from "./statistics/BetaInterval.ts"
import type { Loss } from "./statistics/Decay.ts"
import type { Parts } from "./statistics/Parts.ts"

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
export interface Fallen {
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
