import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { byDevice, type Scope } from "./SumsRepo.ts"
import { leastClicks } from "./statistics/Decay.ts"
import type { Windows } from "./Weeks.ts"

/** A page with its sums of both windows, and its clicks by week: the distance from the newest one, and how many. */
export const PageRow = Schema.Struct({
  before_clicks: Schema.Number,
  before_impressions: Schema.Number,
  before_top: Schema.Number,
  device: Schema.String,
  key: Schema.Int,
  now_clicks: Schema.Number,
  now_impressions: Schema.Number,
  now_top: Schema.Number,
  weeks: Schema.Record({ key: Schema.String, value: Schema.Number })
})
export type PageRow = typeof PageRow.Type

/** Sums of pages by week, anonymised queries included, kept in temporary tables until the transaction ends. */
export class PagesRepo extends Effect.Service<PagesRepo>()("rankings/opportunities/PagesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const weekly = (scope: Scope) => sql`
      CREATE TEMPORARY TABLE opportunity_weeks ON COMMIT DROP AS
      SELECT device, page, week, sum(impressions) AS impressions, sum(clicks) AS clicks, sum(top) AS top
      FROM (${byDevice(
        sql,
        "ranking_page_facts",
        scope,
        sql`f.key AS page, (${scope.days.end}::date - f.day) / 7 AS week, f.impressions, f.clicks, f.sum_top AS top`
      )}) AS f GROUP BY device, page, week`

    const pages = sql`
      CREATE TEMPORARY TABLE opportunity_pages ON COMMIT DROP AS
      SELECT (row_number() OVER (ORDER BY device, page))::integer AS key, * FROM (
        SELECT device, page, json_object_agg(week, clicks) AS weeks,
          coalesce(sum(impressions) FILTER (WHERE week BETWEEN 4 AND 7), 0) AS before_impressions,
          coalesce(sum(clicks) FILTER (WHERE week BETWEEN 4 AND 7), 0) AS before_clicks, coalesce(sum(top) FILTER (WHERE week BETWEEN 4 AND 7), 0) AS before_top,
          coalesce(sum(impressions) FILTER (WHERE week < 4), 0) AS now_impressions,
          coalesce(sum(clicks) FILTER (WHERE week < 4), 0) AS now_clicks, coalesce(sum(top) FILTER (WHERE week < 4), 0) AS now_top
        FROM opportunity_weeks GROUP BY device, page HAVING sum(clicks) FILTER (WHERE week BETWEEN 4 AND 7) >= ${leastClicks}
      ) AS p`

    /** Adds up the weeks of the devices that both windows are known for. */
    const collect = Traced.fn("PagesRepo.collect")(function* (scope: Scope) {
      yield* weekly(scope)
      yield* pages
      yield* sql`CREATE UNIQUE INDEX ON opportunity_pages (key)`
      yield* sql`ANALYZE opportunity_pages`
    }, Effect.orDie)

    const page = Query.all({
      Request: Schema.Struct({ after: Schema.Int, count: Schema.Int }),
      Result: PageRow,
      execute: ({ after, count }) => sql`
        SELECT key, device, weeks, before_impressions::float8 AS before_impressions, before_clicks::float8 AS before_clicks, before_top::float8 AS before_top,
          now_impressions::float8 AS now_impressions, now_clicks::float8 AS now_clicks, now_top::float8 AS now_top
        FROM opportunity_pages WHERE key > ${after} AND key <= ${after + count} ORDER BY key`
    })

    /** Clicks of the pages that were found, a year ago. */
    const yearAgo = Traced.fn("PagesRepo.yearAgo")(function* (scope: Scope, { current, previous }: Windows) {
      const days = { end: current.end, start: previous.start }
      yield* sql`
        CREATE TEMPORARY TABLE opportunity_years ON COMMIT DROP AS
        SELECT f.device, f.page, coalesce(sum(f.clicks) FILTER (WHERE f.day < ${current.start}::date), 0) AS before,
          coalesce(sum(f.clicks) FILTER (WHERE f.day >= ${current.start}::date), 0) AS after
        FROM (${byDevice(sql, "ranking_page_facts", { ...scope, days }, sql`f.key AS page, f.day, f.clicks`)}) AS f
        JOIN opportunity_pages p ON p.device = f.device AND p.page = f.page JOIN opportunity_fallen l ON l.key = p.key GROUP BY f.device, f.page`
    }, Effect.orDie)

    return { collect, page, yearAgo }
  })
}) {}
