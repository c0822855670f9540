import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { competes } from "../performance/PerformanceRepo.ts"
import { byDevice, type Scope } from "./SumsRepo.ts"

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
