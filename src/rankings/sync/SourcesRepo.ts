import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../database/Query.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Sealed } from "../../secrets/Cipher.ts"

/** Seconds until a source whose node stopped renewing is anybody's. */
export const leaseSeconds = 60

/** How a site is connected to Search Console, as the operator sees it. */
export const Connection = Schema.Struct({
  site_id: ProjectId,
  property: Schema.String,
  every_hours: Schema.NullOr(Schema.Int),
  next_sync_at: Schema.NullOr(Schema.String),
  synced_at: Schema.NullOr(Schema.String),
  last_error: Schema.NullOr(Schema.String)
})
export type Connection = typeof Connection.Type

/** What a synchronisation needs of a source. */
export const Source = Schema.Struct({ property: Schema.String, credentials: Sealed })
export type Source = typeof Source.Type

/** A source in a node's hands: every write names the lease. */
export const Held = Schema.Struct({ site: ProjectId, lease: Schema.UUID })
export type Held = typeof Held.Type

const OfSite = Schema.Struct({ site: ProjectId })

/** Where data come from, and the queue of what is due. */
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

    /** The source that has been due for the longest time; the attempt is counted here. */
    const claim = Query.first({
      Request: Schema.Void,
      Result: Held,
      execute: () => sql`
        UPDATE ranking_sources SET lease = gen_random_uuid(), attempts = attempts + 1,
          leased_until = clock_timestamp() + ${leaseSeconds} * interval '1 second'
        WHERE site_id = (
          SELECT site_id FROM ranking_sources
          WHERE next_sync_at <= clock_timestamp() AND (lease IS NULL OR leased_until < clock_timestamp())
          ORDER BY next_sync_at FOR UPDATE SKIP LOCKED LIMIT 1)
        RETURNING site_id AS site, lease`
    })

    /** Nothing comes back when the lease is lost. */
    const renew = Query.first({
      Request: Held,
      Result: OfSite,
      execute: ({ lease, site }) => sql`
        UPDATE ranking_sources SET leased_until = clock_timestamp() + ${leaseSeconds} * interval '1 second'
        WHERE site_id = ${site} AND lease = ${lease} RETURNING site_id AS site`
    })

    const handBack = Query.none({
      Request: Held,
      execute: ({ lease, site }) => sql`
        UPDATE ranking_sources SET lease = NULL, leased_until = NULL WHERE site_id = ${site} AND lease = ${lease}`
    })

    const succeed = Query.none({
      Request: Held,
      execute: ({ lease, site }) => sql`
        UPDATE ranking_sources SET lease = NULL, leased_until = NULL, failures = 0, last_error = NULL,
          synced_at = clock_timestamp(), next_sync_at = clock_timestamp() + every_hours * interval '1 hour'
        WHERE site_id = ${site} AND lease = ${lease}`
    })

    /** The next attempt is due after 15 minutes, twice as long after each further failure, and never later than the schedule has it. */
    const fail = Query.none({
      Request: Schema.Struct({ error: Schema.String, ...Held.fields }),
      execute: ({ error, lease, site }) => sql`
        UPDATE ranking_sources SET lease = NULL, leased_until = NULL, failures = failures + 1, last_error = ${error},
          next_sync_at = CASE WHEN every_hours IS NOT NULL THEN
            clock_timestamp() + least(every_hours * interval '1 hour', interval '15 minutes' * 2 ^ least(failures, 10)) END
        WHERE site_id = ${site} AND lease = ${lease}`
    })

    return { claim: claim(undefined), connect, fail, find, handBack, renew, schedule, succeed }
  })
}) {}
