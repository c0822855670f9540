import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Namespace from "../../../foundation/database/Namespace.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { EventId } from "../../events/EventId.ts"
import { EventName } from "../Catalogue.ts"
import { placedAtOnce } from "../Limits.ts"
import { PublishedEvent } from "./PublishedEvent.ts"

const Listed = Schema.Struct({
  ...Query.Batch,
  account: AccountId,
  since: Schema.UndefinedOr(Schema.DateTimeUtc),
  types: Schema.UndefinedOr(Schema.Array(EventName)),
  until: Schema.UndefinedOr(Schema.DateTimeUtc)
})

/** An event with its place in the order of commits, a number as text. */
export const PlacedEvent = Schema.Struct({ ...PublishedEvent.fields, position: Schema.String })
export type PlacedEvent = typeof PlacedEvent.Type

const OfAccount = Schema.Struct({ account: AccountId, id: EventId })

/** Reads the events of an account from the outbox; those of test deliveries are none of them. */
export class PublishedRepo extends Effect.Service<PublishedRepo>()("webhooks/events/PublishedRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("id, type, iso(created_at) AS created_at, body::json -> 'data' AS data")

    /** The events of a range in an order of its columns. With types each is read from its index, no further than a page, and they are merged. */
    const listed = (
      { account, count, since, types, until }: Omit<typeof Listed.Encoded, "after">,
      { columns, order, range }: { readonly columns: Fragment; readonly order: Fragment; readonly range: Fragment }
    ) => {
      const rows = (columns: Fragment, type: Fragment) =>
        Query.limit(
          sql,
          count,
          sql`
            SELECT ${columns} FROM events
            WHERE account_id = ${account} AND NOT is_test AND ${type} AND ${range}
              AND ${since === undefined ? sql`true` : sql`events.created_at >= ${since}::timestamptz`}
              AND ${until === undefined ? sql`true` : sql`events.created_at < ${until}::timestamptz`}
            ORDER BY ${order}`
        )
      if (types === undefined) return rows(columns, sql`true`)
      const names = sql`ARRAY[${sql.csv(types.map((type) => sql`${type}`))}]::text[]`
      const found = sql`
        SELECT events.* FROM unnest(${names}) AS asked
        CROSS JOIN LATERAL (${rows(sql`id, created_at, position`, sql`type = asked`)}) AS events ORDER BY ${order}`
      return sql`
        SELECT ${columns} FROM events
        WHERE id = ANY (ARRAY (SELECT id FROM (${Query.limit(sql, count, found)}) AS merged)) ORDER BY ${order}`
    }

    /** The newest first, by time and id. */
    const newest = Query.all({
      Request: Listed,
      Result: PublishedEvent,
      execute: (request) =>
        listed(request, {
          columns,
          order: sql`events.created_at DESC, id DESC`,
          range: Query.keyset(sql, "(events.created_at, id) <", request.after)
        })
    })

    /** Those that come after a position, in the order of commits. */
    const inOrder = Query.all({
      Request: Listed,
      Result: PlacedEvent,
      execute: (request) =>
        listed(request, {
          columns: sql`${columns}, position::text AS position`,
          order: sql`events.position`,
          range: sql`events.position > ${request.after?.[0] ?? "0"}::bigint`
        })
    })

    const unplaced = Query.one({
      Request: AccountId,
      Result: Schema.Struct({ some: Schema.Boolean }),
      execute: (account) => sql`
        SELECT EXISTS (SELECT FROM events WHERE account_id = ${account} AND position IS NULL AND NOT is_test) AS some`
    })

    /** Until the transaction ends no other reader gives events of this account their places. */
    const hold = (account: AccountId) =>
      Effect.orDie(sql`SELECT ${Namespace.lock(sql, sql`hashtextextended(${`events ${account}`}, 0)`)}`)

    /** Gives committed events without a place the next ones; answers how many. An event that retention is removing gets none. */
    const placeSome = Query.one({
      Request: AccountId,
      Result: Schema.Struct({ placed: Schema.Int }),
      execute: (account) => sql`
        WITH committed AS (
          SELECT id, created_at FROM events WHERE account_id = ${account} AND position IS NULL AND NOT is_test
          ORDER BY created_at, id LIMIT ${placedAtOnce} FOR NO KEY UPDATE SKIP LOCKED
        ), placed AS (
          UPDATE events SET position = last.position + next.place
          FROM (SELECT id, row_number() OVER (ORDER BY created_at, id) AS place FROM committed) AS next,
            (SELECT coalesce(max(position), 0) AS position FROM events WHERE account_id = ${account}) AS last
          WHERE events.id = next.id RETURNING events.id
        )
        SELECT count(*)::int AS placed FROM placed`
    })

    const transaction = Query.transaction(sql)

    /**
     * Gives places to all events of the account that are committed by now. One reader at a time does it, in statements that begin after the one before has
     * committed, so every place is above all that any reader has seen: a reader who goes on from the last place it saw passes by none. What is
     * committed together follows time and id.
     */
    const place = (account: AccountId): Effect.Effect<void> =>
      Effect.flatMap(unplaced(account), ({ some }) =>
        some
          ? transaction(Effect.zipRight(hold(account), placeSome(account))).pipe(
              Effect.flatMap(({ placed }) => (placed === placedAtOnce ? place(account) : Effect.void))
            )
          : Effect.void
      )

    /** The place of an event, if it has one. */
    const positionOf = Query.first({
      Request: OfAccount,
      Result: Schema.Struct({ position: Schema.String }),
      execute: ({ account, id }) => sql`
        SELECT position::text AS position FROM events
        WHERE id = ${id} AND account_id = ${account} AND position IS NOT NULL`
    })

    const find = Query.first({
      Request: OfAccount,
      Result: PublishedEvent,
      execute: ({ account, id }) =>
        sql`SELECT ${columns} FROM events WHERE id = ${id} AND account_id = ${account} AND NOT is_test`
    })

    return { find, inOrder, newest, place, positionOf }
  })
}) {}
