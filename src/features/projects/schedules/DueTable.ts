import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { held } from "../../../foundation/database/Lease.ts"
import type * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../foundation/database/Query.ts"
import * as Slots from "../../../foundation/database/Slots.ts"

/** A table of schedules whose due ones are claimed as `C`. */
interface Due<C extends LeaseQueue.Held, I> extends Pick<LeaseQueue.Queue<C, I>, "claim" | "name" | "table"> {
  /** The columns of the terms of its runs. */
  readonly terms: string
}

/** The schedules of a table as a queue: claims, and the move to the next slot. */
export const dueSchedules = <C extends LeaseQueue.Held, I>({ claim, name, table, terms }: Due<C, I>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const next = Slots.next(sql)
    const rows = sql(table)
    const Held = { id: Schema.UUID, lease: Schema.UUID }
    const Row = Schema.Struct({ id: Schema.UUID })

    const queue = Slots.queue(sql, {
      claim,
      columns: sql`account_id AS account, project_id AS project, ${sql.literal(terms)}`,
      name,
      table
    })

    const started = Query.first({
      Request: Schema.Struct({ ...Held, run: Schema.UUID }),
      Result: Row,
      execute: ({ id, lease, run }) => sql`
        UPDATE ${rows} SET ${next}, last_run_id = ${run} WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    const skipped = Query.first({
      Request: Schema.Struct({ ...Held, reason: Schema.String }),
      Result: Row,
      execute: ({ id, lease, reason }) => sql`
        UPDATE ${rows} SET ${next}, skipped_at = clock_timestamp(), skipped_reason = ${reason}
        WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    return {
      queue,
      skipped: ({ id, lease }: C, reason: string) => Effect.asVoid(held(skipped({ id, lease, reason }))),
      started: ({ id, lease }: C, run: string) => Effect.asVoid(held(started({ id, lease, run })))
    }
  })
