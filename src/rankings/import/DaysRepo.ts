import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../database/Query.ts"
import { ProjectId } from "../../projects/Domain.ts"

const Level = Schema.Literal("queries", "pages", "property")

/** Which days of a site there are data of. */
export class DaysRepo extends Effect.Service<DaysRepo>()("rankings/import/DaysRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** A day that was whole stays so when a part comes. */
    const cover = Query.none({
      Request: Schema.Struct({
        days: Schema.Array(Schema.String),
        level: Level,
        site: Schema.Int,
        synced: Schema.Boolean,
        whole: Schema.Boolean
      }),
      execute: ({ days, level, site, synced, whole }) => sql`
        INSERT INTO ranking_days AS d (site, level, day, whole, synced)
        SELECT ${site}::integer, ${level}, day::date, ${whole}::boolean, ${synced}::boolean
        FROM json_array_elements_text(${JSON.stringify(days)}::json) AS day
        ON CONFLICT (site, level, day) DO UPDATE SET whole = d.whole OR excluded.whole, synced = d.synced OR excluded.synced
        WHERE (excluded.whole AND NOT d.whole) OR (excluded.synced AND NOT d.synced)`
    })

    /** The newest day that queries are known of. */
    const newest = Query.one({
      Request: Schema.Int,
      Result: Schema.Struct({ day: Schema.NullOr(Schema.String) }),
      execute: (site) => sql`SELECT max(day)::text AS day FROM ranking_days WHERE site = ${site} AND level = 'queries'`
    })

    /** The days from the first to the last of which no synchronisation has fetched all levels yet, oldest first, with the levels that are missing. */
    const missing = Query.all({
      Request: Schema.Struct({ first: Schema.String, last: Schema.String, site: ProjectId }),
      Result: Schema.Struct({ day: Schema.String, levels: Schema.Array(Level) }),
      execute: ({ first, last, site }) => sql`
        SELECT wanted::date::text AS day, json_agg(level ORDER BY place) AS levels
        FROM generate_series(${first}::date, ${last}::date, interval '1 day') AS wanted
        CROSS JOIN unnest(ARRAY['queries', 'pages', 'property']) WITH ORDINALITY AS l (level, place)
        WHERE NOT EXISTS (
          SELECT FROM ranking_days d JOIN ranking_sites s ON s.number = d.site
          WHERE s.site_id = ${site} AND d.level = l.level AND d.day = wanted::date AND d.synced
        ) GROUP BY wanted ORDER BY day`
    })

    return { cover, missing, newest }
  })
}) {}
