import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { held } from "../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { SyncError, Synchronisation, SyncId } from "./Synchronisation.ts"

const Claim = LeaseQueue.Held(ProjectId)
type Claim = typeof Claim.Type

const Project = OwnedId(ProjectId)

const Progress = Schema.Struct({ done: Schema.Int, sync: SyncId, total: Schema.Int })

/** Days for which a synchronisation that has ended can be read. */
const readable = 30

/** Synchronisations: asking for them, and how they are going. A source has one at a time that is not over. */
export class SyncsRepo extends Effect.Service<SyncsRepo>()("rankings/sync/SyncsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(
      "s.id, s.site_id AS project_id, s.status, s.days_done, s.days_total, s.error, iso(s.created_at) AS created_at, iso(s.finished_at) AS finished_at"
    )
    const open = sql`ON CONFLICT (site_id) WHERE finished_at IS NULL DO UPDATE SET`

    /** Locks the source of a project, so that no synchronisation of it ends meanwhile. */
    const hold = Query.first({
      Request: Project,
      Result: Schema.Struct({ site: ProjectId }),
      execute: (project) =>
        sql`SELECT site_id AS site FROM ranking_sources WHERE site_id = ${project} FOR NO KEY UPDATE`
    })

    /** Joins the synchronisation that is not over; one that has not begun reaches back as far as either asks. */
    const ask = Query.one({
      Request: Schema.Struct({ days: Schema.Int, project: Project }),
      Result: Synchronisation,
      execute: ({ days, project }) => sql`
        WITH due AS (
          UPDATE ranking_sources SET next_sync_at = least(next_sync_at, clock_timestamp()) WHERE site_id = ${project}
        )
        INSERT INTO ranking_syncs AS s (site_id, days) VALUES (${project}, ${days})
        ${open} days = CASE WHEN s.status = 'queued' THEN greatest(s.days, excluded.days) ELSE s.days END
        RETURNING ${columns}`
    })

    const find = Query.first({
      Request: Schema.Struct({ id: SyncId, project: Project }),
      Result: Synchronisation,
      execute: ({ id, project }) =>
        sql`SELECT ${columns} FROM ranking_syncs s WHERE id = ${id} AND site_id = ${project}`
    })

    /** Begins what was asked for or what another worker left; otherwise one of `days` days. `done`: days that the worker before fetched. */
    const begin = Query.first({
      Request: Schema.Struct({ ...Claim.fields, days: Schema.Int }),
      Result: Schema.Struct({ days: Schema.Int, done: Schema.Int, sync: SyncId }),
      execute: ({ days, id, lease }) => sql`
        INSERT INTO ranking_syncs AS s (site_id, status, days)
        SELECT site_id, 'running', ${days} FROM ranking_sources WHERE site_id = ${id} AND lease = ${lease}
        ${open} status = 'running' RETURNING s.id AS sync, s.days, s.days_done AS done`
    })

    const progress = Query.first({
      Request: Schema.Struct({ ...Claim.fields, ...Progress.fields }),
      Result: Schema.Struct({ sync: SyncId }),
      execute: ({ done, id, lease, sync, total }) => sql`
        UPDATE ranking_syncs SET days_done = ${done}, days_total = ${total} WHERE id = ${sync} AND finished_at IS NULL
          AND EXISTS (SELECT FROM ranking_sources WHERE site_id = ${id} AND lease = ${lease}) RETURNING id AS sync`
    })

    /** Puts the one that is not over back into the queue, from its first day on. */
    const restart = Query.none({
      Request: Schema.Struct({ site: ProjectId }),
      execute: ({ site }) => sql`
        UPDATE ranking_syncs SET status = 'queued', days_done = 0, days_total = NULL WHERE site_id = ${site} AND finished_at IS NULL`
    })

    /** Ends the one that is not over, and removes those that ended long ago. */
    const end = Query.none({
      Request: Schema.Struct({ error: Schema.NullOr(SyncError), site: ProjectId }),
      execute: ({ error, site }) => sql`
        WITH old AS (
          DELETE FROM ranking_syncs WHERE site_id = ${site} AND finished_at < clock_timestamp() - ${readable} * interval '1 day'
        )
        UPDATE ranking_syncs SET finished_at = clock_timestamp(), error = ${error === null ? null : JSON.stringify(error)}::json,
          status = CASE WHEN ${error === null} THEN 'completed' ELSE 'failed' END, days_total = coalesce(days_total, days_done)
        WHERE site_id = ${site} AND finished_at IS NULL`
    })

    return {
      ask,
      begin: (claim: Claim, days: number) => held(begin({ ...claim, days })),
      end,
      find,
      hold,
      progress: (claim: Claim, days: typeof Progress.Type) => Effect.asVoid(held(progress({ ...claim, ...days }))),
      restart,
      transaction: Query.transaction(sql)
    }
  })
}) {}
