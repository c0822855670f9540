import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Aging from "../../../foundation/database/Aging.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { UploadRetentionDays } from "../Settings.ts"

/** Removes the records of imports that have ended by their age. Facts, and the log by which a file is known again, stay. */
export class RetentionRepo extends Effect.Service<RetentionRepo>()("rankings/uploads/RetentionRepo", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    batch: Query.one(Aging.removal(sql, "ranking_uploads", "finished_at"))
  }))
}) {}

/** Removes what is older than FINDABLE_UPLOAD_RETENTION_DAYS says, for as long as it lives. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([UploadRetentionDays, RetentionRepo]), ([days, { batch }]) =>
    Aging.worker("records of imports", days, batch)
  )
).pipe(Layer.provide(RetentionRepo.Default))
