import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { EventId } from "../../events/EventId.ts"
import { EventName } from "../Catalogue.ts"
import { PublishedEvent } from "./PublishedEvent.ts"

const Listed = Schema.Struct({
  account: AccountId,
  since: Schema.UndefinedOr(Schema.DateTimeUtc),
  type: Schema.UndefinedOr(EventName),
  until: Schema.UndefinedOr(Schema.DateTimeUtc)
})

/** Reads the events of an account from the outbox. */
export class PublishedRepo extends Effect.Service<PublishedRepo>()("webhooks/events/PublishedRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("id, type, iso(created_at) AS created_at, body::json -> 'data' AS data")

    const list = Query.newestFirst(sql, {
      Request: Listed,
      Result: PublishedEvent,
      table: "events",
      rows: ({ account, since, type, until }) => sql`
          SELECT ${columns} FROM events
          WHERE account_id = ${account} AND ${type === undefined ? sql`true` : sql`type = ${type}`}
            AND ${since === undefined ? sql`true` : sql`events.created_at >= ${since}::timestamptz`}
            AND ${until === undefined ? sql`true` : sql`events.created_at < ${until}::timestamptz`}`
    })

    const find = Query.first({
      Request: Schema.Struct({ account: AccountId, id: EventId }),
      Result: PublishedEvent,
      execute: ({ account, id }) => sql`SELECT ${columns} FROM events WHERE id = ${id} AND account_id = ${account}`
    })

    return { find, list }
  })
}) {}
