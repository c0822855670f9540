import * as SqlClient from "@effect/sql/SqlClient"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import { Location } from "../../foundation/database/Location.ts"
import { Outages } from "../../foundation/database/Outages.ts"
import * as Query from "../../foundation/database/Query.ts"
import { isBrokenOff, isSqlError } from "../../foundation/database/SqlState.ts"
import { notifications } from "../../foundation/database/Wakeups.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import { AccountId } from "../accounts/Domain.ts"
import { EventId } from "./EventKind.ts"
import { ofFeeds } from "./Events.ts"

/** An event with its account; `data` matches the schema of its type, or was shortened because of its size. */
export const FeedEvent = Schema.Struct({
  account: AccountId,
  id: EventId,
  type: Schema.String,
  created_at: Timestamp,
  data: Schema.Unknown
})
export type FeedEvent = typeof FeedEvent.Type

/** Unread events of programs, by the name of the feed. */
export class FeedsRepo extends Effect.Service<FeedsRepo>()("events/FeedsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Creates the feed, and returns whether it is new. */
    const insert = Query.first({
      Request: Schema.String,
      Result: Schema.Struct({ name: Schema.String }),
      execute: (name) => sql`INSERT INTO event_feeds (name) VALUES (${name}) ON CONFLICT DO NOTHING RETURNING name`
    })

    /** Waits until running publications are committed, and blocks others until the transaction ends. */
    const lockEvents = Effect.orDie(sql`LOCK TABLE events IN SHARE MODE`)

    /** Starts a feed at the oldest stored event. */
    const fill = Query.none({
      Request: Schema.String,
      execute: (name) => sql`
        INSERT INTO event_feed_queue (feed, event_id, created_at) SELECT ${name}, id, created_at FROM events WHERE NOT is_test`
    })

    /** Locks the feed until the transaction ends; none when another transaction has the lock. */
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

/** The start of a new feed. */
interface Start {
  /** The oldest stored event, or, by default, the first event from now on. */
  readonly from?: "now" | "oldest"
}

/** A feed is read at least this often, because a notification can be lost with its connection. */
const pollEvery = "5 seconds"

/** Whether the connection was lost, or the database is away. The transaction is rolled back and runs again. */
const isOutage = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return isSqlError(error) && isBrokenOff(error)
}

/** Events for the program that embeds this one, in its own process, without HTTP. */
export class Feeds extends Effect.Service<Feeds>()("events/Feeds", {
  dependencies: [FeedsRepo.Default],
  effect: Effect.gen(function* () {
    const repo = yield* FeedsRepo
    const outages = yield* Outages
    const location = yield* Location

    const begin = (name: string, from: Start["from"]) =>
      repo.transaction(
        from === "oldest"
          ? repo.lockEvents.pipe(
              Effect.zipRight(repo.insert(name)),
              Effect.tap((made) => Effect.when(repo.fill(name), () => Option.isSome(made)))
            )
          : repo.insert(name)
      )

    /** Handles the next event of a feed unless another process has its lock; returns whether there was an event. */
    const one = <E, R>(name: string, handle: (event: FeedEvent) => Effect.Effect<void, E, R>) =>
      Effect.gen(function* () {
        if (Option.isNone(yield* repo.hold(name))) return false
        // A separate statement after the lock sees the position of the previous holder.
        const next = yield* repo.next(name)
        if (Option.isNone(next)) return false
        yield* handle(next.value)
        yield* repo.passed({ id: next.value.id, name })
        return true
      }).pipe(repo.transaction)

    /** Repeats work through outages of the database. */
    const patiently = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.catchAllCause(work, (cause) =>
        isOutage(cause)
          ? outages
              .report("A feed of events could not be read", cause)
              .pipe(Effect.zipRight(Effect.sleep("1 second")), Effect.zipRight(Effect.suspend(() => patiently(work))))
          : Effect.failCause(cause)
      )

    /**
     * Passes every event of all accounts to `handle`, one after the other, until interrupted. The feed's name keeps the position: a later call, in any process,
     * continues after the last handled event. Of several concurrent calls one reads, and another takes over when it ends.
     *
     * `handle` runs in the transaction that marks the event as handled: writes with this database's client happen exactly once, everything else at least once.
     * When `handle` fails, `follow` fails, and the event stays the next one.
     */
    const follow = <E, R>(
      name: string,
      handle: (event: FeedEvent) => Effect.Effect<void, E, R>,
      { from = "now" }: Start = {}
    ): Effect.Effect<never, E, R> =>
      Effect.gen(function* () {
        const wakeUp = yield* Queue.sliding<void>(1)
        const wake = Effect.asVoid(Queue.offer(wakeUp, undefined))
        yield* notifications(ofFeeds, () => wake, wake)
        yield* patiently(begin(name, from))
        const turn = patiently(Traced.spanned("Feeds.next")(one(name, handle)))
        return yield* Effect.forever(
          Effect.flatMap(turn, (hadOne) => (hadOne ? Effect.void : Effect.timeoutOption(Queue.take(wakeUp), pollEvery)))
        )
      }).pipe(
        Effect.scoped,
        Effect.mapInputContext((context: Context.Context<R>) => Context.add(context, Location, location))
      )

    /** Removes a feed with its unread events. */
    const remove = repo.remove

    return { follow, remove }
  })
}) {}
