import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { ProjectId } from "../../projects/Domain.ts"

const Level = Schema.Literal("queries", "pages", "property")

/**
 * What is known of a day's queries by country and device. From the API, beside the queries themselves: "complete", or "partial" where its limit of
 * rows cut it off. "bulk": a bulk export has it, and it adds up to the whole.
 */
export const Segments = Schema.Literal("complete", "partial", "bulk")
export type Segments = typeof Segments.Type

/** A day, and the levels of it that no synchronisation has fetched. */
export const MissingDay = Schema.Struct({ day: Schema.String, levels: Schema.Array(Level) })
export type MissingDay = typeof MissingDay.Type

/** Which days of a site there are data of. */
export class DaysRepo extends Effect.Service<DaysRepo>()("rankings/import/DaysRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * A day that was whole stays so when a part comes; `segments` is null where an import does not cover them. The time is that of the newest import, and
     * a whole import is the only source from then on. `cutOff` are days that the API's limit of rows cut off.
     */
    const cover = Query.none({
      Request: Schema.Struct({
        cutOff: Schema.Array(Schema.String),
        days: Schema.Array(Schema.String),
        level: Level,
        segments: Schema.NullOr(Segments),
        site: Schema.Int,
        source: Schema.String,
        synced: Schema.Boolean,
        whole: Schema.Boolean
      }),
      execute: ({ cutOff, days, level, segments, site, source, synced, whole }) => sql`
        INSERT INTO ranking_days AS d (site, level, day, whole, synced, segments, sources, cut_off)
        SELECT ${site}::integer, ${level}, day::date, ${whole}::boolean, ${synced}::boolean, ${segments}::text, ARRAY[${source}::text],
          day::date = ANY(${`{${cutOff.join(",")}}`}::date[])
        FROM json_array_elements_text(${JSON.stringify(days)}::json) AS day
        ON CONFLICT (site, level, day) DO UPDATE
        SET whole = d.whole OR excluded.whole, synced = d.synced OR excluded.synced, segments = coalesce(excluded.segments, d.segments),
          imported_at = excluded.imported_at, cut_off = excluded.cut_off OR (d.cut_off AND NOT excluded.whole),
          sources = CASE WHEN excluded.whole THEN excluded.sources WHEN d.sources @> excluded.sources THEN d.sources
            ELSE d.sources || excluded.sources END`
    })

    /** Those of some days whose queries are known by themselves beside their segments, which are never added up to the whole then. */
    const segmented = Query.all({
      Request: Schema.Struct({ days: Schema.Array(Schema.String), site: Schema.Int }),
      Result: Schema.Struct({ day: Schema.String }),
      execute: ({ days, site }) => sql`
        SELECT day::text FROM ranking_days WHERE site = ${site} AND level = 'queries' AND segments IN ('complete', 'partial')
          AND day = ANY(${`{${days.join(",")}}`}::date[])`
    })

    /** The newest day that queries are known of. */
    const newest = Query.one({
      Request: Schema.Int,
      Result: Schema.Struct({ day: Schema.NullOr(Schema.String) }),
      execute: (site) => sql`SELECT max(day)::text AS day FROM ranking_days WHERE site = ${site} AND level = 'queries'`
    })

    /**
     * The days from the first to the last of which no synchronisation has fetched all levels yet, oldest first, with the levels that are missing.
     * Queries are missing, too, where their segments were not fetched.
     */
    const missing = Query.all({
      Request: Schema.Struct({ first: Schema.String, last: Schema.String, site: ProjectId }),
      Result: MissingDay,
      execute: ({ first, last, site }) => sql`
        SELECT wanted::date::text AS day, json_agg(level ORDER BY place) AS levels
        FROM generate_series(${first}::date, ${last}::date, interval '1 day') AS wanted
        CROSS JOIN unnest(ARRAY['queries', 'pages', 'property']) WITH ORDINALITY AS l (level, place)
        WHERE NOT EXISTS (
          SELECT FROM ranking_days d JOIN ranking_sites s ON s.number = d.site
          WHERE s.site_id = ${site} AND d.level = l.level AND d.day = wanted::date AND d.synced
            AND (d.level <> 'queries' OR d.segments IS NOT NULL)
        ) GROUP BY wanted ORDER BY day`
    })

    return { cover, missing, newest, segmented }
  })
}) {}
