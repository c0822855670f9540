import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { held } from "../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { Auditing, Device } from "../Domain.ts"
import { ScheduleId } from "./AuditSchedule.ts"

/** Workers that may die over one audit before it is given up. */
export const attemptsAtMost = 3

const Held = LeaseQueue.Held(ScheduleId)

/** A due schedule under lease. */
export const Claim = Schema.Struct({
  ...Held.fields,
  account: AccountId,
  url: Schema.String,
  device: Device,
  source: Auditing
})
export type Claim = typeof Claim.Type

/** The schedules as a queue: claims by source, and the move to the next slot. */
export class DueRepo extends Effect.Service<DueRepo>()("audits/schedule/DueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const queueOf = (source: Auditing) =>
      LeaseQueue.make(sql, {
        account: sql`account_id`,
        attemptsAtMost,
        claim: Claim,
        columns: sql`account_id AS account, url, device, source`,
        due: sql`source = ${source} AND next_at <= (SELECT clock_timestamp())`,
        key: "id",
        name: `audits by ${source}`,
        oldest: "next_at",
        table: "audit_schedules"
      })

    /** Missed slots are not made up for. */
    const finish = Query.first({
      Request: Held,
      Result: Schema.Struct({ id: ScheduleId }),
      execute: ({ id, lease }) => sql`
        UPDATE audit_schedules SET attempts = 0, lease = NULL, leased_until = NULL,
          next_at = next_at + every_minutes * interval '1 minute'
            * (1 + floor(extract(epoch FROM clock_timestamp() - next_at) / (60 * every_minutes))::float8)
        WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    return {
      finish: (claim: Claim) => held(finish(claim)),
      queues: { lighthouse: queueOf("lighthouse"), psi: queueOf("psi") }
    }
  })
}) {}
