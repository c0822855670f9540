import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { Sealed } from "../../../foundation/secrets/Cipher.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Connection } from "./Api.ts"

/** What a synchronisation needs of a source. */
const Source = Schema.Struct({ property: Schema.String, credentials: Sealed })

const OfSite = Schema.Struct({ site: ProjectId })

/** Where the data of sites come from. */
export class SourcesRepo extends Effect.Service<SourcesRepo>()("rankings/sync/SourcesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const connection = sql.literal(
      "site_id, property, every_hours, iso(next_sync_at) AS next_sync_at, iso(synced_at) AS synced_at, last_error"
    )

    const connect = Query.one({
      Request: Schema.Struct({ site: ProjectId, ...Source.fields }),
      Result: Connection,
      execute: ({ credentials, property, site }) => sql`
        INSERT INTO ranking_sources (site_id, property, credentials, every_hours, next_sync_at)
        VALUES (${site}, ${property}, ${credentials}, 24, clock_timestamp())
        ON CONFLICT (site_id) DO UPDATE SET property = excluded.property, credentials = excluded.credentials, failures = 0,
          last_error = NULL,
          next_sync_at = CASE WHEN ranking_sources.every_hours IS NOT NULL THEN excluded.next_sync_at END
        RETURNING ${connection}`
    })

    const schedule = Query.first({
      Request: Schema.Struct({ everyHours: Schema.NullOr(Schema.Int), site: ProjectId }),
      Result: Connection,
      execute: ({ everyHours, site }) => sql`
        UPDATE ranking_sources SET every_hours = ${everyHours}::integer,
          next_sync_at = CASE WHEN ${everyHours}::integer IS NOT NULL THEN clock_timestamp() END
        WHERE site_id = ${site} RETURNING ${connection}`
    })

    const find = Query.first({
      Request: OfSite,
      Result: Source,
      execute: ({ site }) => sql`SELECT property, credentials FROM ranking_sources WHERE site_id = ${site}`
    })

    /** The connection of a project, without its credentials. */
    const connectionOf = Query.first({
      Request: OwnedId(ProjectId),
      Result: Connection,
      execute: (project) => sql`SELECT ${connection} FROM ranking_sources WHERE site_id = ${project}`
    })

    return { connect, connection: connectionOf, find, schedule }
  })
}) {}
