import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"

const Range = Schema.Struct({ end: Schema.String, site: Schema.Int, start: Schema.String })

/** Which days lists can be made from, and what the property had on them. */
export class DaysRepo extends Effect.Service<DaysRepo>()("rankings/opportunities/DaysRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Known days as numbers since 1970, by level; `by_device` where nothing was seen, or something by device. */
    const known = Query.all({
      Request: Range,
      Result: Schema.Struct({
        by_device: Schema.Boolean,
        day: Schema.Int,
        level: Schema.Literal("queries", "pages")
      }),
      execute: ({ end, site, start }) => sql`
        SELECT d.level, d.day - '1970-01-01'::date AS day, d.impressions = 0 OR (d.level, d.day) IN (
          SELECT s.level, s.day FROM ranking_segment_days s JOIN ranking_segments of ON of.site = s.site AND of.id = s.segment
          WHERE s.site = ${site} AND of.device IS NOT NULL AND s.day BETWEEN ${start}::date AND ${end}::date) AS by_device
        FROM ranking_days d WHERE d.site = ${site} AND d.level IN ('queries', 'pages') AND d.day BETWEEN ${start}::date AND ${end}::date`
    })

    /** Clicks of a range: of the property where it is known, else of the pages; null where a day of the range is not known. */
    const clicks = Query.one({
      Request: Range,
      Result: Schema.Struct({ clicks: Schema.NullOr(Schema.Number) }),
      execute: ({ end, site, start }) => sql`
        SELECT CASE WHEN count(*) = ${end}::date - ${start}::date + 1 THEN sum(clicks)::float8 END AS clicks FROM (
          SELECT DISTINCT ON (day) clicks FROM ranking_days
          WHERE site = ${site} AND level IN ('property', 'pages') AND day BETWEEN ${start}::date AND ${end}::date ORDER BY day, level DESC
        ) AS d`
    })

    /** The terms that a site's brand is known by, folded as queries are. */
    const brand = Query.one({
      Request: Schema.Struct({ site: Schema.Int }),
      Result: Schema.Struct({ terms: Schema.Array(Schema.String) }),
      execute: ({ site }) => sql`
        SELECT brand_folded AS terms FROM projects WHERE id = (SELECT site_id FROM ranking_sites WHERE number = ${site})`
    })

    return { brand, clicks, known }
  })
}) {}
