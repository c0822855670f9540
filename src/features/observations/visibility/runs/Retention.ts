import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Aging from "../../../../foundation/database/Aging.ts"
import * as Query from "../../../../foundation/database/Query.ts"
import { GeoRetentionDays } from "../engines/Settings.ts"

/** Runs of a batch: each may have thousands of answers. */
const runsAtOnce = 4

/** Removes runs with their answers by their age. Baselines stay, and for each engine of a project the newest run that answered. */
export class RetentionRepo extends Effect.Service<RetentionRepo>()("visibility/runs/RetentionRepo", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    batch: Query.one({
      Request: Aging.Asked,
      Result: Aging.Done,
      execute: ({ after, days }) => sql`
        WITH old AS MATERIALIZED (
          SELECT id, project_id, engines, finished_at AS at FROM geo_runs
          WHERE finished_at < statement_timestamp() - ${days} * interval '1 day'
            AND (finished_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)
          ORDER BY finished_at, id LIMIT ${runsAtOnce} FOR UPDATE SKIP LOCKED
        ), removed AS (
          DELETE FROM geo_runs WHERE id IN (
            SELECT id FROM old WHERE NOT EXISTS (SELECT FROM geo_baselines b WHERE b.run_id = old.id)
              AND NOT EXISTS (SELECT FROM unnest(old.engines) AS e WHERE NOT EXISTS (
                SELECT FROM geo_runs r WHERE r.project_id = old.project_id AND r.status IN ('completed', 'partial')
                  AND e = ANY (r.engines) AND (r.finished_at, r.id) > (old.at, old.id)))
          ) RETURNING id
        )
        SELECT (SELECT count(*)::int FROM removed) AS removed,
          (SELECT json_build_object('at', iso(at), 'id', id) FROM old ORDER BY at DESC, id DESC LIMIT 1) AS last`
    })
  }))
}) {}

/** Removes runs older than FINDABLE_GEO_RETENTION_DAYS, until its scope ends. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([GeoRetentionDays, RetentionRepo]), ([days, { batch }]) =>
    Aging.worker("runs of AI visibility", days, batch)
  )
).pipe(Layer.provide(RetentionRepo.Default))
