import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type { AccountId } from "../../../src/features/accounts/Domain.ts"
import { Events } from "../../../src/features/events/Events.ts"
import { Feeds } from "../../../src/features/events/Feeds.ts"
import { interventionDeployed } from "../../../src/features/interventions/Events.ts"

/** Publishes an event of that summary; answers its id. */
export const publish = (account: AccountId, summary: string) =>
  Effect.gen(function* () {
    const { publishUnknown } = yield* Events
    const sql = yield* SqlClient.SqlClient
    const data = { ...interventionDeployed.example, summary }
    return (yield* sql.withTransaction(publishUnknown(account, interventionDeployed, data))) ?? "none"
  })

/** Waits until a feed is known: events from then on are kept for it. */
export const known = (name: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`SELECT FROM event_feeds WHERE name = ${name}`.pipe(
      Effect.filterOrFail((rows) => rows.length === 1),
      Effect.retry(Schedule.spaced("10 millis"))
    )
  )

/** Follows a feed; the ids of its events are put into a queue. */
export const following = (name: string, options?: { readonly from: "now" | "oldest" }) =>
  Effect.gen(function* () {
    const feeds = yield* Feeds
    const seen = yield* Queue.unbounded<string>()
    const fiber = yield* Effect.forkScoped(feeds.follow(name, ({ id }) => Queue.offer(seen, id), options))
    yield* known(name)
    return { fiber, seen }
  })

/** Waits until a feed has nothing to read. */
export const read = (name: string) =>
  left(name).pipe(
    Effect.filterOrFail((count) => count === 0),
    Effect.retry(Schedule.spaced("10 millis"))
  )

/** Entries that a feed has yet to read. */
export const left = (name: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{
      count: number
    }>`SELECT count(*)::int AS count FROM event_feed_queue WHERE feed = ${name}`
    return row?.count
  })
