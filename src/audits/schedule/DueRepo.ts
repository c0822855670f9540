import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AccountId } from "../../accounts/Domain.ts"
import * as Query from "../../database/Query.ts"
import { Device } from "../Device.ts"
import { Auditing } from "../Source.ts"
import { ScheduleId } from "./AuditSchedule.ts"
import { leaseSeconds } from "./Limits.ts"

/** A due schedule in a worker's hands; every write names the lease, so that a worker which lost it can change nothing. */
export const Claim = Schema.Struct({
  id: ScheduleId,
  account: AccountId,
  url: Schema.String,
  device: Device,
  source: Auditing,
  /** This attempt's number. */
  attempts: Schema.Int,
  lease: Schema.UUID
})
export type Claim = typeof Claim.Type

const Held = Schema.Struct({ id: ScheduleId, lease: Schema.UUID })

/** The queue that the schedules are: claiming what is due, leasing, handing back, and putting on to the next slot. */
export class DueRepo extends Effect.Service<DueRepo>()("audits/schedule/DueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const leased = sql`clock_timestamp() + ${leaseSeconds} * interval '1 second'`

    const claim = Query.first({
      Request: Auditing,
      Result: Claim,
      execute: (source) => sql`
        UPDATE audit_schedules SET attempts = attempts + 1, lease = gen_random_uuid(), leased_until = ${leased}
        WHERE id = (SELECT id FROM audit_schedules
                    WHERE source = ${source} AND next_at <= clock_timestamp()
                      AND (leased_until IS NULL OR leased_until < clock_timestamp())
                    ORDER BY next_at FOR UPDATE SKIP LOCKED LIMIT 1)
        RETURNING id, account_id AS account, url, device, source, attempts, lease`
    })

    /** Nothing comes back when the lease is lost: the schedule was removed, or its worker taken for dead. */
    const renew = Query.first({
      Request: Held,
      Result: Schema.Struct({ id: ScheduleId }),
      execute: ({ id, lease }) => sql`
        UPDATE audit_schedules SET leased_until = ${leased} WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    /** An attempt that is handed back does not count. */
    const handBack = Query.none({
      Request: Held,
      execute: ({ id, lease }) => sql`
        UPDATE audit_schedules SET attempts = attempts - 1, lease = NULL, leased_until = NULL
        WHERE id = ${id} AND lease = ${lease}`
    })

    /** Slots that were missed are not made up for. */
    const finish = Query.first({
      Request: Held,
      Result: Schema.Struct({ id: ScheduleId }),
      execute: ({ id, lease }) => sql`
        UPDATE audit_schedules SET attempts = 0, lease = NULL, leased_until = NULL,
          next_at = next_at + every_minutes * interval '1 minute'
            * (1 + floor(extract(epoch FROM clock_timestamp() - next_at) / (60 * every_minutes))::float8)
        WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    return { claim, finish, handBack, renew, transaction: Query.transaction(sql) }
  })
}) {}
