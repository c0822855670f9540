import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { ProjectId } from "../../projects/Domain.ts"

const Clicks = Schema.Record({ key: Schema.String, value: Schema.Number })

/** A fall that is under way, of a page or, with an empty path, of the site; clicks by week, counted back from the newest one. */
const Fall = Schema.Struct({
  before: Schema.Number,
  freedom: Schema.Int,
  page_path: Schema.String,
  told: Schema.Boolean,
  variance: Schema.Number,
  weeks: Clicks
})
export type Fall = typeof Fall.Type

const New = Schema.Struct({
  before: Schema.Number,
  freedom: Schema.Int,
  page_path: Schema.String,
  told: Schema.Boolean,
  variance: Schema.Number
})

/** Falls of search traffic; read beside the temporary tables that decay is found by. */
export class TrafficRepo extends Effect.Service<TrafficRepo>()("rankings/traffic/TrafficRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Clicks of whole weeks: of the property where it is known, else of the pages. */
    const siteWeeks = Query.one({
      Request: Schema.Struct({ end: Schema.String, number: Schema.Int, start: Schema.String }),
      Result: Schema.Struct({ weeks: Clicks }),
      execute: ({ end, number, start }) => sql`
        SELECT coalesce(json_object_agg(week, clicks), '{}') AS weeks FROM (
          SELECT (${end}::date - day) / 7 AS week, sum(clicks)::float8 AS clicks FROM (
            SELECT DISTINCT ON (day) day, clicks FROM ranking_days
            WHERE site = ${number} AND level IN ('property', 'pages') AND day BETWEEN ${start}::date AND ${end}::date ORDER BY day, level DESC
          ) AS d GROUP BY week HAVING count(*) = 7
        ) AS w`
    })

    /** Falls behind a path, in its order. */
    const page = Query.all({
      Request: Schema.Struct({ after: Schema.String, count: Schema.Int, number: Schema.Int, site: ProjectId }),
      Result: Fall,
      execute: ({ after, count, number, site }) => sql`
        WITH falls AS MATERIALIZED (
          SELECT f.*, p.id AS page FROM (
            SELECT * FROM ranking_traffic_falls WHERE site_id = ${site} AND page_path > ${after} ORDER BY page_path LIMIT ${count}
          ) AS f LEFT JOIN ranking_pages p ON p.site = ${number} AND p.key = md5(f.page_path)::uuid
        )
        SELECT f.page_path, f.before, f.variance, f.freedom, f.told, coalesce(w.weeks, '{}') AS weeks FROM falls f LEFT JOIN (
          SELECT page, json_object_agg(week, clicks) AS weeks FROM opportunity_weeks WHERE device = '' AND page IN (SELECT page FROM falls) GROUP BY page
        ) AS w USING (page) ORDER BY f.page_path`
    })

    const ofSite = Query.first({
      Request: Schema.Struct({ site: ProjectId }),
      Result: New,
      execute: ({ site }) => sql`
        SELECT page_path, before, variance, freedom, told FROM ranking_traffic_falls WHERE site_id = ${site} AND page_path = ''`
    })

    /** The paths of pages by their keys among those that decay is about, without those whose fall is under way. */
    const begun = Query.all({
      Request: Schema.Struct({ keys: Schema.Array(Schema.Int), number: Schema.Int, site: ProjectId }),
      Result: Schema.Struct({ key: Schema.Int, page_path: Schema.String }),
      execute: ({ keys, number, site }) => sql`
        SELECT o.key, p.page AS page_path FROM opportunity_pages o JOIN ranking_pages p ON p.site = ${number} AND p.id = o.page
        WHERE o.key = ANY (${keys}::integer[])
          AND NOT EXISTS (SELECT FROM ranking_traffic_falls f WHERE f.site_id = ${site} AND f.page_path = p.page)`
    })

    const add = Query.none({
      Request: Schema.Struct({ falls: Schema.Array(New), site: ProjectId }),
      execute: ({ falls, site }) => sql`
        INSERT INTO ranking_traffic_falls (site_id, page_path, before, variance, freedom, told)
        SELECT ${site}::uuid, * FROM unnest(${falls.map(({ page_path }) => page_path)}::text[], ${falls.map(({ before }) => before)}::float8[],
          ${falls.map(({ variance }) => variance)}::float8[], ${falls.map(({ freedom }) => freedom)}::integer[], ${falls.map(({ told }) => told)}::boolean[])`
    })

    const end = Query.none({
      Request: Schema.Struct({ paths: Schema.Array(Schema.String), site: ProjectId }),
      execute: ({ paths, site }) => sql`
        DELETE FROM ranking_traffic_falls WHERE site_id = ${site} AND page_path = ANY (${paths}::text[])`
    })

    return { add, begun, end, ofSite, page, siteWeeks }
  })
}) {}
