import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { held } from "../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../foundation/database/Query.ts"
import * as Slots from "../../../foundation/database/Slots.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { Auditing, Device } from "../Domain.ts"
import { ScheduleId } from "./AuditSchedule.ts"

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
      Slots.queue(sql, {
        claim: Claim,
        columns: sql`account_id AS account, url, device, source`,
        name: `audits by ${source}`,
        only: sql`source = ${source}`,
        table: "audit_schedules"
      })

    const finish = Query.first({
      Request: Held,
      Result: Schema.Struct({ id: ScheduleId }),
      execute: ({ id, lease }) => sql`
        UPDATE audit_schedules SET ${Slots.next(sql)} WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    return {
      finish: (claim: Claim) => held(finish(claim)),
      queues: { lighthouse: queueOf("lighthouse"), psi: queueOf("psi") }
    }
  })
}) {}
