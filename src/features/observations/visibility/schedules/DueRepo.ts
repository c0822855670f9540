import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { held } from "../../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../../foundation/database/Query.ts"
import * as Slots from "../../../../foundation/database/Slots.ts"
import { AccountId } from "../../../accounts/Domain.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { Engine, RunId } from "../Domain.ts"
import { ScheduleId } from "./Schedule.ts"

const Held = LeaseQueue.Held(ScheduleId)

/** A due schedule under lease. */
const Claim = Schema.Struct({
  ...Held.fields,
  account: AccountId,
  engines: Schema.Array(Engine),
  project: ProjectId,
  repeats: Schema.Int
})
export type Claim = typeof Claim.Type

const Row = Schema.Struct({ id: ScheduleId })

/** The schedules as a queue: claims, and the move to the next slot. */
export class DueRepo extends Effect.Service<DueRepo>()("visibility/schedules/DueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const next = Slots.next(sql)

    const queue = Slots.queue(sql, {
      claim: Claim,
      columns: sql`account_id AS account, engines, project_id AS project, repeats`,
      name: "geo schedules",
      table: "geo_schedules"
    })

    const started = Query.first({
      Request: Schema.Struct({ ...Held.fields, run: RunId }),
      Result: Row,
      execute: ({ id, lease, run }) => sql`
        UPDATE geo_schedules SET ${next}, last_run_id = ${run} WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    const skipped = Query.first({
      Request: Schema.Struct({ ...Held.fields, reason: Schema.String }),
      Result: Row,
      execute: ({ id, lease, reason }) => sql`
        UPDATE geo_schedules SET ${next}, skipped_at = clock_timestamp(), skipped_reason = ${reason}
        WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    return {
      queue,
      skipped: ({ id, lease }: Claim, reason: string) => Effect.asVoid(held(skipped({ id, lease, reason }))),
      started: ({ id, lease }: Claim, run: RunId) => Effect.asVoid(held(started({ id, lease, run })))
    }
  })
}) {}
