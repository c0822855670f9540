import * as SqlClient from "@effect/sql/SqlClient"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { every } from "../../../foundation/database/Outages.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { purgedAtOnce } from "../Domain.ts"
import { before, Position } from "./DeliveriesRepo.ts"
import { RetentionDays } from "./Settings.ts"

/** The statements of retention. */
export class RetentionRepo extends Effect.Service<RetentionRepo>()("webhooks/deliveries/RetentionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The next old events, locked: until the transaction ends they get no new delivery. */
    const old = Query.all({
      Request: Schema.Struct({ after: Position, days: Schema.Int }),
      Result: Position,
      execute: ({ after, days }) => sql`
        SELECT id, iso(created_at) AS "createdAt" FROM events
        WHERE created_at < statement_timestamp() - ${days} * interval '1 day'
          AND (created_at, id) > (${after.createdAt}::timestamptz, ${after.id})
        ORDER BY events.created_at, id LIMIT ${purgedAtOnce} FOR UPDATE SKIP LOCKED`
    })

    /** Removes old events with their deliveries if all of these ended long ago. A delivery that another transaction is changing keeps its event. */
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

/** Removes events after `FINDABLE_WEBHOOK_RETENTION_DAYS`. */
export class Retention extends Effect.Service<Retention>()("webhooks/deliveries/Retention", {
  dependencies: [RetentionRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* RetentionRepo
    const days = yield* RetentionDays

    const some = (after: Position) =>
      Effect.gen(function* () {
        const old = yield* repo.old({ after, days })
        const { removed } = yield* repo.remove({ days, ids: old.map(({ id }) => id) })
        return [removed, Array.last(old)] as const
      }).pipe(repo.transaction)

    /**
     * Removes old events with their deliveries if all of these ended long ago. Works in batches, one transaction each; concurrent servers share the work.
     * Returns the number of removed events.
     */
    const purge = Stream.runSum(Stream.paginateEffect(before("-infinity"), some))

    return { purge }
  })
}) {}

/** Purges every ten minutes. */
export const layer = Layer.scopedDiscard(
  Effect.flatMap(Retention, ({ purge }) => every("10 minutes", "Old events could not be removed")(purge))
).pipe(Layer.provide(Retention.Default))
