import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Coverage } from "../Domain.ts"
import { Dropped } from "../RawRow.ts"
import { Extent } from "./Extent.ts"

/** Where imported facts come from: a file in one of the formats, or a synchronisation with the API. */
export const Source = Schema.Literal("gsc-csv", "gsc-api", "bigquery", "sync")
export type Source = typeof Source.Type

/** What the log has: also days that were taken out. */
const Entry = Schema.Literal(...Source.literals, "drop-day")

const Record = Schema.Struct({
  ...Extent.fields,
  changed: Schema.Number,
  dropped: Schema.parseJson(Dropped),
  /** The hash of the files; null where they need not be recognised. */
  hash: Schema.NullOr(Schema.String),
  site: ProjectId,
  source: Entry
})

/** The log of imports. */
export class ImportsRepo extends Effect.Service<ImportsRepo>()("rankings/import/ImportsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const record = Query.none({
      Request: Record,
      execute: ({ changed, dropped, first_day, hash, last_day, rows, site, source }) => sql`
        INSERT INTO ranking_imports (site_id, source, first_day, last_day, rows, changed, dropped, hash)
        VALUES (${site}, ${source}, ${first_day}::date, ${last_day}::date, ${rows}, ${changed}, ${dropped}::json, ${hash})`
    })

    /** The outcome of the same files, if no fact of the site has changed since, and what the site's list covers. */
    const same = Query.first({
      Request: Schema.Struct({ hash: Schema.String, site: ProjectId }),
      Result: Schema.Struct({ ...Extent.fields, coverage: Schema.NullOr(Coverage), dropped: Dropped }),
      execute: ({ hash, site }) => sql`
        SELECT first_day::text, last_day::text, rows::float8 AS rows, dropped,
          (SELECT coverage FROM ranking_generations WHERE site_id = ${site} AND published IS NOT NULL AND superseded IS NULL) AS coverage
        FROM ranking_imports i WHERE site_id = ${site} AND hash = ${hash}
          AND NOT EXISTS (SELECT FROM ranking_imports later WHERE later.site_id = ${site} AND later.id > i.id AND later.changed > 0)
        ORDER BY id DESC LIMIT 1`
    })

    return { record, same }
  })
}) {}
