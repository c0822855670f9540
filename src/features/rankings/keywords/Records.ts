import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { type DayRange, daysOf, KeywordRanking, type RankingId } from "../Domain.ts"
import { SeriesDay } from "../performance/Api.ts"

/** A pair of query and page, and the newest day of its site. */
const Pair = Schema.Struct({
  site: Schema.Int,
  id: Schema.Int,
  newest_day: Schema.NullOr(Schema.String)
})

const OfDays = Schema.Struct({ end: Schema.String, id: Schema.Int, site: Schema.Int, start: Schema.String })

/** Single records and their days, from sums of facts. Days are looked up one by one, each by the key of its partition. */
export class RecordsRepo extends Effect.Service<RecordsRepo>()("rankings/keywords/RecordsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const find = Query.first({
      Request: Schema.Struct({ account: AccountId, key: Schema.String }),
      Result: Pair,
      execute: ({ account, key }) => sql`
        SELECT p.site, p.id, s.newest_day::text FROM projects
        JOIN ranking_sites s ON s.site_id = projects.id JOIN ranking_pairs p ON p.site = s.number AND p.key = ${key}::uuid
        WHERE projects.account_id = ${account}`
    })

    /** The record in the windows of the current rankings; none if both lack the pair. */
    const record = Query.first({
      Request: Schema.Struct({ id: Schema.Int, site: Schema.Int }),
      Result: KeywordRanking,
      execute: ({ id, site }) => sql`
        WITH g AS (
          SELECT g.*, period_start - (period_end - period_start + 1) AS previous_start FROM ranking_generations g JOIN ranking_sites s USING (site_id)
          WHERE s.number = ${site} AND published IS NOT NULL AND superseded IS NULL
        ), sums AS (
          SELECT coalesce(sum(impressions) FILTER (WHERE f.day >= period_start), 0) AS c_impressions,
            coalesce(sum(clicks) FILTER (WHERE f.day >= period_start), 0) AS c_clicks,
            coalesce(sum(sum_top) FILTER (WHERE f.day >= period_start), 0) AS c_top,
            coalesce(sum(impressions) FILTER (WHERE f.day < period_start), 0) AS p_impressions,
            coalesce(sum(sum_top) FILTER (WHERE f.day < period_start), 0) AS p_top
          FROM g CROSS JOIN generate_series(previous_start, period_end, interval '1 day') AS d
          CROSS JOIN LATERAL (
            SELECT * FROM ranking_query_facts WHERE site = ${site} AND day = d::date AND key = ${id} AND counts & 1 = 1
          ) AS f HAVING count(*) > 0
        )
        SELECT 'kw_' || replace(p.key::text, '-', '') AS id, g.site_id, p.query, p.page AS page_path,
          ranking_ratio(c_top, c_impressions) AS current_position, ranking_ratio(p_top, p_impressions) AS previous_position,
          coalesce(ranking_ratio(p_top * c_impressions - c_top * p_impressions, p_impressions * c_impressions), 0) AS position_delta,
          c_impressions::float8 AS impressions, c_clicks::float8 AS clicks,
          CASE WHEN c_impressions = 0 THEN 0 ELSE c_clicks::float8 / c_impressions::float8 END AS ctr,
          CASE WHEN c_impressions = 0 THEN 'lost' WHEN p_impressions = 0 THEN 'new'
               WHEN p_top * c_impressions - c_top * p_impressions >= p_impressions * c_impressions THEN 'climbing'
               WHEN c_top * p_impressions - p_top * c_impressions >= p_impressions * c_impressions THEN 'dropping'
               ELSE 'stable' END AS ranking_status,
          json_build_object('start', g.period_start, 'end', g.period_end) AS period, iso(g.recorded_at) AS recorded_at
        FROM g, sums, ranking_pairs p WHERE p.site = ${site} AND p.id = ${id}`
    })

    /** One entry for each day with queries. */
    const series = Query.all({
      Request: OfDays,
      Result: SeriesDay,
      execute: ({ end, id, site, start }) => sql`
        SELECT d.day::text AS date, coalesce(f.impressions, 0)::float8 AS impressions, coalesce(f.clicks, 0)::float8 AS clicks,
          CASE WHEN f.impressions > 0 THEN f.clicks::float8 / f.impressions::float8 ELSE 0 END AS ctr, ranking_ratio(f.sum_top, f.impressions) AS position
        FROM ranking_days d LEFT JOIN LATERAL (
          SELECT sum(impressions) AS impressions, sum(clicks) AS clicks, sum(sum_top) AS sum_top
          FROM ranking_query_facts WHERE site = ${site} AND day = d.day AND key = ${id} AND counts & 1 = 1
        ) AS f ON true
        WHERE d.site = ${site} AND d.level = 'queries' AND d.day BETWEEN ${start}::date AND ${end}::date ORDER BY d.day`
    })

    return { find, record, series }
  })
}) {}

const missing = () => NotFound.of("keyword")

/** Single records of an account, and their days. */
export class Records extends Effect.Service<Records>()("rankings/keywords/Records", {
  dependencies: [RecordsRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* RecordsRepo

    const pairOf = (account: AccountId, id: RankingId) =>
      Effect.mapError(Effect.flatten(repo.find({ account, key: id.slice("kw_".length) })), missing)

    const get = Traced.fn("Records.get")(function* (account: AccountId, id: RankingId) {
      const pair = yield* pairOf(account, id)
      return yield* Effect.mapError(Effect.flatten(repo.record(pair)), missing)
    })

    const series = Traced.fn("Records.series")(function* (account: AccountId, id: RankingId, range: DayRange) {
      const pair = yield* pairOf(account, id)
      const days = yield* daysOf(range, pair.newest_day)
      return days === null ? [] : yield* repo.series({ ...days, ...pair })
    })

    return { get, series }
  })
}) {}
