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

/** Where a feed begins that is followed for the first time. */
interface Start {
  /** With the oldest event that is kept, or, by default, with those that are published from now on. */
  readonly from?: "now" | "oldest"
}

/** A feed is read this often in any case: a notification can be lost with its connection. */
const pollEvery = "5 seconds"

/** The connection was lost, or the database is away: whatever the transaction did is undone, and it is tried again. */
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

    /** Handles the next event of a feed that no other process holds; says whether there was one. */
    const one = <E, R>(name: string, handle: (event: FeedEvent) => Effect.Effect<void, E, R>) =>
      Effect.gen(function* () {
        if (Option.isNone(yield* repo.hold(name))) return false
        // A statement after the one that locks: it sees what the holder before has passed.
        const next = yield* repo.next(name)
        if (Option.isNone(next)) return false
        yield* handle(next.value)
        yield* repo.passed({ id: next.value.id, name })
        return true
      }).pipe(repo.transaction)

    /** Survives outages of the database. */
    const patiently = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.catchAllCause(work, (cause) =>
        isOutage(cause)
          ? outages
              .report("A feed of events could not be read", cause)
              .pipe(Effect.zipRight(Effect.sleep("1 second")), Effect.zipRight(Effect.suspend(() => patiently(work))))
          : Effect.failCause(cause)
      )

    /**
     * Hands every event of all accounts to `handle`, one after the other, for as long as it runs. The name is the position: a later call with it, in any
     * process, goes on where this one stopped. Of several at once one reads, and another takes over when that ends.
     *
     * `handle` runs in the transaction that passes the event: what it writes with this database's client is written exactly once, everything else is done
     * at least once. Where it fails, this fails, and the event stays the next one.
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

    /** Forgets a feed with all that it has yet to read. */
    const remove = repo.remove

    return { follow, remove }
  })
}) {}
