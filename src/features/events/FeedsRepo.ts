import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { Timestamp } from "../../foundation/schema/Timestamp.ts"
import { AccountId } from "../accounts/Domain.ts"
import { EventId } from "./EventId.ts"

/** An event with its account; `data` is as the schema of its type says, or shortened where that would have been too large. */
export const FeedEvent = Schema.Struct({
  account: AccountId,
  id: EventId,
  type: Schema.String,
  created_at: Timestamp,
  data: Schema.Unknown
})
export type FeedEvent = typeof FeedEvent.Type

/** The events that programs have yet to read, by the name of the feed. */
export class FeedsRepo extends Effect.Service<FeedsRepo>()("events/FeedsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Makes the feed, and says whether it is new. */
    const insert = Query.first({
      Request: Schema.String,
      Result: Schema.Struct({ name: Schema.String }),
      execute: (name) => sql`INSERT INTO event_feeds (name) VALUES (${name}) ON CONFLICT DO NOTHING RETURNING name`
    })

    /** Waits until what is being published is committed, and keeps others from publishing until the transaction ends. */
    const lockEvents = Effect.orDie(sql`LOCK TABLE events IN SHARE MODE`)

    /** Lets a feed begin with the oldest event that is kept. */
    const fill = Query.none({
      Request: Schema.String,
      execute: (name) => sql`
        INSERT INTO event_feed_queue (feed, event_id, created_at) SELECT ${name}, id, created_at FROM events WHERE NOT is_test`
    })

    /** Holds the feed until the transaction ends; nothing when another one holds it. */
    const hold = Query.first({
      Request: Schema.String,
      Result: Schema.Struct({ name: Schema.String }),
      execute: (name) => sql`SELECT name FROM event_feeds WHERE name = ${name} FOR NO KEY UPDATE SKIP LOCKED`
    })

    const next = Query.first({
      Request: Schema.String,
      Result: FeedEvent,
      execute: (name) => sql`
        SELECT e.account_id AS account, e.id, e.type, iso(e.created_at) AS created_at, e.body::json -> 'data' AS data
        FROM event_feed_queue q JOIN events e ON e.id = q.event_id WHERE q.feed = ${name}
        ORDER BY q.created_at, q.event_id LIMIT 1`
    })

    const passed = Query.none({
      Request: Schema.Struct({ id: EventId, name: Schema.String }),
      execute: ({ id, name }) => sql`DELETE FROM event_feed_queue WHERE feed = ${name} AND event_id = ${id}`
    })

    const remove = Query.none({
      Request: Schema.String,
      execute: (name) => sql`DELETE FROM event_feeds WHERE name = ${name}`
    })

    return { fill, hold, insert, lockEvents, next, passed, remove, transaction: Query.transaction(sql) }
  })
}) {}
