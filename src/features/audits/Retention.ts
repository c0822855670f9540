import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Aging from "../../foundation/database/Aging.ts"
import * as Query from "../../foundation/database/Query.ts"
import { AuditRetentionDays } from "./Settings.ts"

/** Removes audits by their age; no other row refers to one. */
export class RetentionRepo extends Effect.Service<RetentionRepo>()("audits/RetentionRepo", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    batch: Query.one(Aging.removal(sql, "audits", "created_at"))
  }))
}) {}

/** Removes audits older than FINDABLE_AUDIT_RETENTION_DAYS, until its scope ends. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Effect.all([AuditRetentionDays, RetentionRepo]), ([days, { batch }]) =>
    Aging.worker("audits", days, batch)
  )
).pipe(Layer.provide(RetentionRepo.Default))
