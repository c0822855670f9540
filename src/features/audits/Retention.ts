import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Aging from "../../foundation/database/Aging.ts"
import * as Query from "../../foundation/database/Query.ts"
import { AuditRetentionDays } from "./Settings.ts"

/** Removes audits by their age; no other row refers to one. */
export class RetentionRepo extends Effect.Service<RetentionRepo>()("audits/RetentionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const batch = Query.one({
      Request: Aging.Asked,
      Result: Aging.Done,
      execute: ({ after, days }) => sql`
        WITH old AS (
          SELECT id, created_at AS at FROM audits
          WHERE created_at < statement_timestamp() - ${days} * interval '1 day'
            AND (created_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)
          ORDER BY created_at, id LIMIT ${Aging.rowsAtOnce} FOR UPDATE SKIP LOCKED
        ), removed AS (DELETE FROM audits WHERE id IN (SELECT id FROM old) RETURNING id)
        SELECT (SELECT count(*)::int FROM removed) AS removed,
          (SELECT json_build_object('at', iso(at), 'id', id) FROM old ORDER BY at DESC, id DESC LIMIT 1) AS last`
    })

    return { batch }
  })
}) {}

/** Removes audits older than FINDABLE_AUDIT_RETENTION_DAYS, until its scope ends. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([AuditRetentionDays, RetentionRepo]), ([days, { batch }]) =>
    Aging.worker("audits", days, batch)
  )
).pipe(Layer.provide(RetentionRepo.Default))
