import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Slots from "../../../foundation/database/Slots.ts"
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

    /** When a source is due whose schedule has changed: at once, where it has one or a synchronisation was asked for. */
    const dueWith = (everyHours: Fragment) => sql`CASE
      WHEN ${everyHours} IS NOT NULL OR EXISTS (SELECT FROM ranking_syncs o WHERE o.site_id = ranking_sources.site_id AND finished_at IS NULL)
      THEN clock_timestamp() END`

    /**
     * Without a schedule a new source has that of a day, and one that exists keeps its own. The lease on it ends: how a synchronisation with the
     * credentials before ends says nothing of this connection. New credentials are tried before they use a quota of URL inspections, and URLs that wait
     * because the ones before were refused are due.
     */
    const connect = Query.one({
      Request: Schema.Struct({
        everyHours: Schema.UndefinedOr(Schema.NullOr(Schema.Int)),
        site: ProjectId,
        ...Source.fields
      }),
      Result: Connection,
      execute: ({ credentials, everyHours, property, site }) => {
        const hours = sql`${everyHours === undefined ? 24 : everyHours}::integer`
        const kept = everyHours === undefined ? sql`ranking_sources.every_hours` : hours
        return sql`
          WITH waiting AS (
            UPDATE inspections SET due_at = clock_timestamp() WHERE project_id = ${site} AND status = 'queued' AND due_at > clock_timestamp()
          )
          INSERT INTO ranking_sources (site_id, property, credentials, every_hours, next_sync_at)
          VALUES (${site}, ${property}, ${credentials}, ${hours}, CASE WHEN ${hours} IS NOT NULL THEN clock_timestamp() END)
          ON CONFLICT (site_id) DO UPDATE SET property = excluded.property, credentials = excluded.credentials, failures = 0,
            last_error = NULL, inspection_accepted = false, inspection_refusals = 0, inspection_paused_until = NULL,
            inspection_trial_until = NULL, ${Slots.over(sql)}, every_hours = ${kept}, next_sync_at = ${dueWith(kept)}
          RETURNING ${connection}`
      }
    })

    const schedule = Query.first({
      Request: Schema.Struct({ everyHours: Schema.NullOr(Schema.Int), site: ProjectId }),
      Result: Connection,
      execute: ({ everyHours, site }) => sql`
        UPDATE ranking_sources SET every_hours = ${everyHours}::integer, next_sync_at = ${dueWith(sql`${everyHours}::integer`)}
        WHERE site_id = ${site} RETURNING ${connection}`
    })

    /** Forgets the credentials, and with them the record of synchronisations; the data stay. */
    const disconnect = Query.first({
      Request: OwnedId(ProjectId),
      Result: Schema.Struct({ site: ProjectId }),
      execute: (project) => sql`DELETE FROM ranking_sources WHERE site_id = ${project} RETURNING site_id AS site`
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

    return { connect, connection: connectionOf, disconnect, find, schedule }
  })
}) {}
