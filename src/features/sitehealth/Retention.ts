import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Aging from "../../foundation/database/Aging.ts"
import * as Query from "../../foundation/database/Query.ts"
import { RunRetentionDays } from "./Settings.ts"

/** Removes runs by their age, except those that are still needed. */
export class RetentionRepo extends Effect.Service<RetentionRepo>()("sitehealth/RetentionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const compared = sql`e.result IS NOT NULL AND e.verify IS NULL ORDER BY e.created_at DESC, e.id DESC LIMIT 1`

    /**
     * Keeps, for each project, the newest run with a result and the run that it is compared with; for each schedule, its last run and the run that the
     * next one is compared with; and every run that a verification refers to which is not old itself. A run that an idempotency key or an older
     * verification refers to only loses its result.
     */
    const batch = Query.one({
      Request: Aging.Asked,
      Result: Aging.Done,
      execute: ({ after, days }) => {
        const limit = sql`statement_timestamp() - ${days} * interval '1 day'`
        return sql`
          WITH old AS MATERIALIZED (
            SELECT id, project_id, finished_at AS at FROM site_health_runs
            WHERE finished_at < ${limit} AND (finished_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)
            ORDER BY finished_at, id LIMIT ${Aging.rowsAtOnce} FOR UPDATE SKIP LOCKED
          ), latest AS (
            SELECT newest.* FROM (SELECT DISTINCT project_id FROM old) AS p CROSS JOIN LATERAL (
              SELECT e.id, e.project_id, e.url, e.created_at FROM site_health_runs e WHERE e.project_id = p.project_id AND ${compared}
            ) AS newest
          ), kept AS (
            SELECT id FROM latest
            UNION ALL SELECT earlier.id FROM latest l CROSS JOIN LATERAL (
              SELECT e.id FROM site_health_runs e WHERE e.project_id = l.project_id AND e.url = l.url AND (e.created_at, e.id) < (l.created_at, l.id)
                AND ${compared}
            ) AS earlier
            UNION ALL SELECT newest.id FROM site_health_schedules s CROSS JOIN LATERAL (
              SELECT e.id FROM site_health_runs e WHERE e.project_id = s.project_id AND e.url = s.url AND ${compared}
            ) AS newest WHERE s.project_id IN (SELECT project_id FROM old)
            UNION ALL SELECT last_run_id FROM site_health_schedules WHERE last_run_id IN (SELECT id FROM old)
            UNION ALL SELECT verify FROM site_health_runs
              WHERE verify IN (SELECT id FROM old) AND (finished_at IS NULL OR finished_at >= ${limit})
          ), spare AS (
            SELECT id, EXISTS (SELECT FROM idempotency_keys k WHERE k.run_id = old.id)
              OR EXISTS (SELECT FROM site_health_runs v WHERE v.verify = old.id) AS named
            FROM old WHERE id NOT IN (SELECT id FROM kept)
          ), removed AS (
            DELETE FROM site_health_runs WHERE id IN (SELECT id FROM spare WHERE NOT named) RETURNING id
          ), emptied AS (
            UPDATE site_health_runs SET result = NULL WHERE id IN (SELECT id FROM spare WHERE named) AND result IS NOT NULL RETURNING id
          )
          SELECT ((SELECT count(*) FROM removed) + (SELECT count(*) FROM emptied))::int AS removed,
            (SELECT json_build_object('at', iso(at), 'id', id) FROM old ORDER BY at DESC, id DESC LIMIT 1) AS last`
      }
    })

    return { batch }
  })
}) {}

/** Removes runs older than FINDABLE_RUN_RETENTION_DAYS, until its scope ends. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([RunRetentionDays, RetentionRepo]), ([days, { batch }]) =>
    Aging.worker("site health runs", days, batch)
  )
).pipe(Layer.provide(RetentionRepo.Default))
