import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { purgedAtOnce } from "../Limits.ts"
import { Position } from "./Position.ts"

/** The statements of retention. */
export class RetentionRepo extends Effect.Service<RetentionRepo>()("webhooks/deliveries/RetentionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The next events of that age, locked: until the transaction ends no delivery of them can be made. */
    const old = Query.all({
      Request: Schema.Struct({ after: Position, days: Schema.Int }),
      Result: Position,
      execute: ({ after, days }) => sql`
        SELECT id, iso(created_at) AS "createdAt" FROM events
        WHERE created_at < statement_timestamp() - ${days} * interval '1 day'
          AND (created_at, id) > (${after.createdAt}::timestamptz, ${after.id})
        ORDER BY events.created_at, id LIMIT ${purgedAtOnce} FOR UPDATE SKIP LOCKED`
    })

    /**
     * Removes those of them whose deliveries all ended that long ago, with the deliveries. A delivery that another transaction is changing keeps its
     * event.
     */
    const remove = Query.one({
      Request: Schema.Struct({ days: Schema.Int, ids: Schema.Array(Schema.String) }),
      Result: Schema.Struct({ removed: Schema.Int }),
      execute: ({ days, ids }) => sql`
        WITH ended AS (
          SELECT id FROM webhook_log
          WHERE event_id = ANY (${ids}) AND finished_at < statement_timestamp() - ${days} * interval '1 day'
          FOR UPDATE SKIP LOCKED
        ), removed AS (
          DELETE FROM events WHERE id = ANY (${ids})
            AND NOT EXISTS (SELECT FROM webhook_queue q WHERE q.event_id = events.id)
            AND NOT EXISTS (SELECT FROM webhook_log l WHERE l.event_id = events.id AND l.id NOT IN (SELECT id FROM ended))
          RETURNING id
        )
        SELECT count(*)::int AS removed FROM removed`
    })

    return { old, remove, transaction: Query.transaction(sql) }
  })
}) {}
