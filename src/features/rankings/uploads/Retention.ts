import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Aging from "../../../foundation/database/Aging.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { UploadRetentionDays } from "./Settings.ts"

/** Removes the records of imports that have ended by their age. Facts, and the log by which a file is known again, stay. */
export class RetentionRepo extends Effect.Service<RetentionRepo>()("rankings/uploads/RetentionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const batch = Query.one({
      Request: Aging.Asked,
      Result: Aging.Done,
      execute: ({ after, days }) => sql`
        WITH old AS (
          SELECT id, finished_at AS at FROM ranking_uploads
          WHERE finished_at < statement_timestamp() - ${days} * interval '1 day'
            AND (finished_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)
          ORDER BY finished_at, id LIMIT ${Aging.rowsAtOnce} FOR UPDATE SKIP LOCKED
        ), removed AS (DELETE FROM ranking_uploads WHERE id IN (SELECT id FROM old) RETURNING id)
        SELECT (SELECT count(*)::int FROM removed) AS removed,
          (SELECT json_build_object('at', iso(at), 'id', id) FROM old ORDER BY at DESC, id DESC LIMIT 1) AS last`
    })

    return { batch }
  })
}) {}

/** Removes what is older than FINDABLE_UPLOAD_RETENTION_DAYS says, for as long as it lives. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([UploadRetentionDays, RetentionRepo]), ([days, { batch }]) =>
    Aging.worker("records of imports", days, batch)
  )
).pipe(Layer.provide(RetentionRepo.Default))
