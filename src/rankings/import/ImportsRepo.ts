import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../database/Query.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Span } from "./Span.ts"

/** Where imported facts come from: a file in one of the formats, or a synchronisation with the API. */
export const Source = Schema.Literal("gsc-csv", "gsc-api", "bigquery", "sync")
export type Source = typeof Source.Type

const Record = Schema.Struct({
  ...Span.fields,
  changed: Schema.Number,
  dropped: Schema.parseJson(),
  site: ProjectId,
  source: Source,
  syncedDay: Schema.NullOr(Schema.String)
})

/** The log of imports, and the days that were synchronised. */
export class ImportsRepo extends Effect.Service<ImportsRepo>()("rankings/import/ImportsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const record = Query.none({
      Request: Record,
      execute: ({ changed, dropped, first_day, last_day, rows, site, source, syncedDay }) => sql`
        WITH synced AS (
          INSERT INTO ranking_synced_days (site_id, day)
          SELECT ${site}::uuid, ${syncedDay}::date WHERE ${syncedDay}::date IS NOT NULL ON CONFLICT DO NOTHING
        )
        INSERT INTO ranking_imports (site_id, source, first_day, last_day, rows, changed, dropped)
        VALUES (${site}, ${source}, ${first_day}::date, ${last_day}::date, ${rows}, ${changed}, ${dropped}::json)`
    })

    /** The days from the first to the last that no synchronisation has fetched yet, oldest first. */
    const missingDays = Query.all({
      Request: Schema.Struct({ first: Schema.String, last: Schema.String, site: ProjectId }),
      Result: Schema.Struct({ day: Schema.String }),
      execute: ({ first, last, site }) => sql`
        SELECT wanted::date::text AS day FROM generate_series(${first}::date, ${last}::date, interval '1 day') AS wanted
        WHERE NOT EXISTS (SELECT FROM ranking_synced_days s WHERE s.site_id = ${site} AND s.day = wanted::date)
        ORDER BY day`
    })

    return { missingDays, record }
  })
}) {}
