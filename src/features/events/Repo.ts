import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Namespace from "../../foundation/database/Namespace.ts"
import * as Query from "../../foundation/database/Query.ts"
import { AccountId } from "../accounts/Domain.ts"
import { channel, ofAccounts, ofFeeds } from "./Channel.ts"
import { EventBody } from "./EventBody.ts"
import { EventId } from "./EventId.ts"

const NewEvents = Schema.Struct({
  account: AccountId,
  createdAt: Schema.DateTimeUtc,
  events: Schema.Array(Schema.Struct({ body: EventBody, id: EventId, occurrence: Schema.NullOr(Schema.String) })),
  /** A webhook that does not receive them. */
  except: Schema.NullOr(Schema.String),
  type: Schema.String
})

/** The outbox. */
export class EventsRepo extends Effect.Service<EventsRepo>()("events/EventsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * Writes the events, a delivery of each for each active webhook that lists their type and is not excepted, and an entry for each feed; answers how many
     * were new. Webhooks and feeds are locked against deletion, so that one that is being deleted is left out instead of failing the caller's transaction. Occurrences are inserted in
     * order, so that two batches with the same ones cannot deadlock.
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
          SELECT webhooks.id FROM webhooks
          WHERE account_id = ${account} AND is_active AND ${type} = ANY (events) AND id IS DISTINCT FROM ${except} FOR KEY SHARE
        ), delivery AS (
          INSERT INTO webhook_queue (webhook_id, event_id, event_type, created_at)
          SELECT subscribed.id, event.id, event.type, event.created_at FROM subscribed, event RETURNING webhook_id
        ), fed AS (
          INSERT INTO event_feed_queue (feed, event_id, created_at)
          SELECT feeds.name, event.id, event.created_at FROM (SELECT name FROM event_feeds FOR KEY SHARE) AS feeds, event RETURNING feed
        ), notified AS (
          -- A notification has room for some 260 ids.
          SELECT string_agg(id, ',') AS webhooks FROM (
            SELECT webhook_id AS id, (row_number() OVER ()) / 200 AS part FROM delivery GROUP BY webhook_id) AS due
          GROUP BY part
        )
        SELECT (SELECT count(*)::int FROM event) AS published,
          (SELECT count(${Namespace.notify(sql, channel, sql`${account}::text || ':' || webhooks`)}) FROM notified),
          (SELECT count(${Namespace.notify(sql, ofFeeds, sql`''`)}) WHERE EXISTS (SELECT FROM fed)),
          (SELECT count(${Namespace.notify(sql, ofAccounts, sql`${account}::text`)}) WHERE EXISTS (SELECT FROM event))`
    })

    return { insert }
  })
}) {}
