import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AccountId } from "../../accounts/Domain.ts"
import * as Query from "../../database/Query.ts"
import { AuditSchedule, ScheduleId } from "./AuditSchedule.ts"

/** The schedules as their operator sees them. */
export class SchedulesRepo extends Effect.Service<SchedulesRepo>()("audits/schedule/SchedulesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`id, account_id, url, device, source, every_minutes, iso(next_at) AS next_at,
      iso(created_at) AS created_at`)

    /** For an account that does not exist no schedule comes back; one of the same page and device is changed. */
    const put = Query.first({
      Request: AuditSchedule.pick("account_id", "url", "device", "source", "every_minutes"),
      Result: AuditSchedule,
      execute: ({ account_id, device, every_minutes, source, url }) => sql`
        INSERT INTO audit_schedules (account_id, url, device, source, every_minutes)
        SELECT id, ${url}, ${device}, ${source}, ${every_minutes} FROM accounts WHERE id = ${account_id}
        ON CONFLICT (account_id, url, device)
          DO UPDATE SET source = excluded.source, every_minutes = excluded.every_minutes,
            next_at = least(audit_schedules.next_at, clock_timestamp() + excluded.every_minutes * interval '1 minute')
        RETURNING ${columns}`
    })

    const list = Query.all({
      Request: Schema.Struct({ account: Schema.NullOr(AccountId) }),
      Result: AuditSchedule,
      execute: ({ account }) => sql`
        SELECT ${columns} FROM audit_schedules WHERE account_id = coalesce(${account}::uuid, account_id)
        ORDER BY audit_schedules.created_at, id`
    })

    const remove = Query.first({
      Request: ScheduleId,
      Result: AuditSchedule,
      execute: (id) => sql`DELETE FROM audit_schedules WHERE id = ${id} RETURNING ${columns}`
    })

    return { list, put, remove }
  })
}) {}
