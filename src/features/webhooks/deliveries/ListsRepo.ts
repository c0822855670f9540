import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { EventId } from "../../events/EventId.ts"
import { catalogue, EventType } from "../Catalogue.ts"
import { WebhookId } from "../Domain.ts"
import { deliveryColumns } from "../Rows.ts"
import { Delivery, DeliveryStatus } from "./Delivery.ts"

const Filters = Schema.Struct({
  ...Query.Batch,
  event: Schema.UndefinedOr(EventId),
  eventType: Schema.UndefinedOr(EventType),
  since: Schema.UndefinedOr(Schema.DateTimeUtc),
  status: Schema.UndefinedOr(DeliveryStatus),
  until: Schema.UndefinedOr(Schema.DateTimeUtc)
})

const names = catalogue.map(({ type }) => type)

/** Lists of deliveries, the newest first. */
export class ListsRepo extends Effect.Service<ListsRepo>()("webhooks/deliveries/ListsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const cut = yield* deliveryColumns("cut")

    const range = ({ after, event, since, until }: typeof Filters.Encoded) =>
      sql.and([
        event === undefined ? sql`true` : sql`event_id = ${event}`,
        since === undefined ? sql`true` : sql`created_at >= ${since}::timestamptz`,
        until === undefined ? sql`true` : sql`created_at < ${until}::timestamptz`,
        Query.keyset(sql, "(created_at, id) <", after)
      ])

    /** Element by element, so that a cached plan knows how many there are. */
    const array = (texts: ReadonlyArray<string>) => sql`ARRAY[${sql.csv(texts.map((text) => sql`${text}`))}]::text[]`

    /** A page of the deliveries to some webhooks: reads each matching range of the indexes in its order, no further than a page, and merges them. */
    const page = (webhooks: Fragment, request: typeof Filters.Encoded) => {
      const { count, eventType, status } = request
      const types = eventType === undefined ? names : [eventType]
      const ended = ["delivered", "failed"].filter((end) => status === undefined || status === end)
      const held = status === undefined ? sql`true` : sql`(worker IS NOT NULL) = ${status === "delivering"}`
      const open = status === undefined || !ended.includes(status)
      const rows = (of: Fragment) =>
        Query.limit(
          sql,
          count,
          sql`
            SELECT id, created_at FROM ${of} AND webhook_id = webhook AND ${range(request)}
            ORDER BY created_at DESC, id DESC`
        )
      const ofType = eventType === undefined ? sql`true` : sql`event_type = ${eventType}`
      const queued = rows(sql`webhook_queue WHERE ${held} AND event_type = type`)
      const logged = rows(sql`webhook_log WHERE ${ofType} AND status = ended`)
      return sql`
        WITH found AS (
          SELECT q.id, q.created_at FROM ${webhooks} AS own (webhook), unnest(${array(open ? types : [])}) AS type
            CROSS JOIN LATERAL (${queued}) AS q
          UNION ALL
          SELECT l.id, l.created_at FROM ${webhooks} AS own (webhook), unnest(${array(ended)}) AS ended
            CROSS JOIN LATERAL (${logged}) AS l
        )
        SELECT ${cut} FROM webhook_deliveries d
        WHERE d.id = ANY (ARRAY (${Query.limit(sql, count, sql`SELECT id FROM found ORDER BY created_at DESC, id DESC`)}))
        ORDER BY d.created_at DESC, d.id DESC`
    }

    const ofWebhook = Query.all({
      Request: Schema.Struct({ ...Filters.fields, webhook: OwnedId(WebhookId) }),
      Result: Delivery,
      execute: ({ webhook, ...request }) => page(sql`(SELECT ${webhook}::text)`, request)
    })

    const ofAccount = Query.all({
      Request: Schema.Struct({ ...Query.Batch, account: AccountId, status: Schema.UndefinedOr(DeliveryStatus) }),
      Result: Delivery,
      execute: ({ account, ...request }) =>
        page(sql`(SELECT id FROM webhooks WHERE account_id = ${account})`, {
          ...request,
          event: undefined,
          eventType: undefined,
          since: undefined,
          until: undefined
        })
    })

    return { ofAccount, ofWebhook }
  })
}) {}
