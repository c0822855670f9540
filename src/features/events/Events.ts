import * as SqlClient from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { notify } from "../../foundation/database/Migrations.ts"
import * as Query from "../../foundation/database/Query.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import * as Entropy from "../../foundation/secrets/Entropy.ts"
import { AccountId } from "../accounts/Domain.ts"
import { EventBody, EventId, type EventKind, makeEventId, ofEncoded } from "./EventKind.ts"

/** Channel on which the database wakes the delivery workers. */
export const channel = "findable_webhooks"

/** The payload: an account, and its webhooks with due deliveries. */
interface Due {
  readonly account: string
  readonly webhooks: ReadonlyArray<string>
}

/** Parses a notification; an empty one has no webhook. */
export const read = (payload: string): Due => {
  const [account = "", webhooks = ""] = payload.split(":")
  return { account, webhooks: webhooks === "" ? [] : webhooks.split(",") }
}

/** Channel on which the database wakes requests that wait for an event; the payload is its account. */
export const ofAccounts = "findable_events"

/** Channel on which the database wakes the programs that follow feeds. */
export const ofFeeds = "findable_feeds"

const NewEvents = Schema.Struct({
  account: AccountId,
  createdAt: Schema.DateTimeUtc,
  events: Schema.Array(Schema.Struct({ body: EventBody, id: EventId, occurrence: Schema.NullOr(Schema.String) })),
  /** A webhook that does not receive the events. */
  except: Schema.NullOr(Schema.String),
  type: Schema.String
})

/** The outbox. */
export class EventsRepo extends Effect.Service<EventsRepo>()("events/EventsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * Writes the events, their deliveries to each active webhook that lists their type and is not excepted, and an entry for each feed. Returns the number of
     * new events. Webhooks and feeds are locked against deletion: one that is being deleted is left out and does not fail the caller's transaction. Occurrences
     * are inserted in order, so two batches with equal occurrences cannot deadlock.
     */
    const insert = Query.one({
      Request: NewEvents,
      Result: Schema.Struct({ published: Schema.Int }),
      execute: ({ account, createdAt, events, except, type }) => sql`
        WITH event AS (
          INSERT INTO events (id, account_id, type, body, occurrence, created_at)
          SELECT id, ${account}, ${type}, body, occurrence, ${createdAt}::timestamptz
          FROM unnest(${events.map(({ id }) => id)}::text[], ${events.map(({ body }) => body)}::text[],
            ${events.map(({ occurrence }) => occurrence)}::text[]) AS new (id, body, occurrence)
          ORDER BY occurrence
          ON CONFLICT (account_id, type, occurrence) DO NOTHING RETURNING id, type, created_at
        ), subscribed AS (
          SELECT webhooks.id, format FROM webhooks
          WHERE account_id = ${account} AND is_active AND ${type} = ANY (events) AND id IS DISTINCT FROM ${except} FOR KEY SHARE
        ), delivery AS (
          INSERT INTO webhook_queue (webhook_id, event_id, event_type, format, created_at)
          SELECT subscribed.id, event.id, event.type, subscribed.format, event.created_at FROM subscribed, event RETURNING webhook_id
        ), fed AS (
          INSERT INTO event_feed_queue (feed, event_id, created_at)
          SELECT feeds.name, event.id, event.created_at FROM (SELECT name FROM event_feeds FOR KEY SHARE) AS feeds, event RETURNING feed
        ), notified AS (
          -- A notification has room for about 260 ids.
          SELECT string_agg(id, ',') AS webhooks FROM (
            SELECT webhook_id AS id, (row_number() OVER ()) / 200 AS part FROM delivery GROUP BY webhook_id) AS due
          GROUP BY part
        )
        SELECT (SELECT count(*)::int FROM event) AS published,
          (SELECT count(${notify(sql, channel, sql`${account}::text || ':' || webhooks`)}) FROM notified),
          (SELECT count(${notify(sql, ofFeeds, sql`''`)}) WHERE EXISTS (SELECT FROM fed)),
          (SELECT count(${notify(sql, ofAccounts, sql`${account}::text`)}) WHERE EXISTS (SELECT FROM event))`
    })

    return { insert }
  })
}) {}

/** Options of an event. */
export interface PublishOptions {
  /** A key of the occurrence: of several events of one account and type with an equal key, only the first is published. */
  readonly occurrence?: string
}

/** One event of a batch. */
export interface NewEvent<Data> extends PublishOptions {
  readonly data: Data
}

/** Options of a single event. */
interface SingleOptions extends PublishOptions {
  /** A webhook that does not receive the event: the subject of the event. */
  readonly except?: string
}

const inTransaction = Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (transaction) =>
  transaction._tag === "Some" ? Effect.void : Effect.dieMessage("An event was published outside of a transaction")
)

/** The outbox, where every room publishes its events. */
export class Events extends Effect.Service<Events>()("events/Events", {
  dependencies: [EventsRepo.Default, Entropy.layer],
  effect: Effect.gen(function* () {
    const entropy = yield* Entropy.Entropy
    const repo = yield* EventsRepo
    const newId = Effect.provideService(makeEventId, Entropy.Entropy, entropy)

    /** Writes encoded events of one type; returns their ids and the number of new events. */
    const write = Effect.fnUntraced(function* <E>(
      account: AccountId,
      type: string,
      events: Iterable<NewEvent<Effect.Effect<unknown, E>>>,
      except: string | null = null
    ) {
      yield* inTransaction
      const createdAt = yield* DateTime.now
      const rows = yield* Effect.forEach(events, ({ data, occurrence = null }) =>
        Effect.gen(function* () {
          const id = yield* newId
          const body = yield* Effect.orDie(ofEncoded(type, { createdAt, data: yield* data, id }))
          return { body, id, occurrence }
        })
      )
      const { published } = yield* repo.insert({ account, createdAt, events: rows, except, type })
      return { ids: rows.map(({ id }) => id), published }
    })

    /**
     * Publishes events of an account, and makes their deliveries due, if and only if the caller's transaction commits (transactional outbox). Outside a
     * transaction, or with data that do not match the schema, it dies: both are faults of the caller. Returns the number of new events. A batch is one
     * statement, so pass a few hundred events at a time.
     */
    const publishAll = Traced.fn("Events.publishAll")(function* <Type extends string, Data, Encoded>(
      account: AccountId,
      kind: EventKind<Type, Data, Encoded>,
      events: Iterable<NewEvent<NoInfer<Data>>>
    ) {
      const encoded = Array.from(events, (event) => ({ ...event, data: Effect.orDie(kind.encode(event.data)) }))
      return (yield* write(account, kind.type, encoded)).published
    })

    /** Publishes one event, like `publishAll` a batch. */
    const publish = Traced.fn("Events.publish")(function* <Type extends string, Data, Encoded>(
      account: AccountId,
      kind: EventKind<Type, Data, Encoded>,
      data: NoInfer<Data>,
      { except, ...options }: SingleOptions = {}
    ) {
      yield* write(account, kind.type, [{ ...options, data: Effect.orDie(kind.encode(data)) }], except)
    })

    /** Publishes an event with unvalidated data; fails when the data do not match the schema. Returns the event's id. */
    const publishUnknown = Traced.fn("Events.publishUnknown")(function* (
      account: AccountId,
      kind: {
        readonly type: string
        readonly encodeUnknown: (data: unknown) => Effect.Effect<unknown, ParseResult.ParseError>
      },
      data: unknown
    ) {
      const { ids } = yield* write(account, kind.type, [{ data: kind.encodeUnknown(data) }])
      return ids[0]
    })

    return { publish, publishAll, publishUnknown }
  })
}) {}
