import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { OwnedId } from "../../accounts/Owned.ts"
import * as Query from "../../database/Query.ts"
import { channel, due } from "../../events/Channel.ts"
import { EventName } from "../Catalogue.ts"
import { DeliveryId, WebhookId } from "../Domain.ts"
import { recoveredAtOnce } from "../Limits.ts"
import { deliveryColumns } from "../Rows.ts"
import { Delivery, DeliveryStatus } from "./Delivery.ts"
import { Position } from "./Position.ts"

const Webhook = OwnedId(WebhookId)

const OfWebhook = Schema.Struct({ id: DeliveryId, webhook: Webhook })

const Listed = Schema.Struct({
  after: Schema.UndefinedOr(Schema.Array(Schema.String)),
  count: Schema.Int,
  eventType: Schema.UndefinedOr(EventName),
  status: Schema.UndefinedOr(DeliveryStatus),
  webhook: Webhook
})

/** The delivery log of a subscription, and what its owner may do to it; all of it under the subscription's lock where it writes. */
export class DeliveriesRepo extends Effect.Service<DeliveriesRepo>()("webhooks/deliveries/DeliveriesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const whole = yield* deliveryColumns("whole")
    const cut = yield* deliveryColumns("cut")

    const list = Query.all({
      Request: Listed,
      Result: Delivery,
      execute: ({ after, count, eventType, status, webhook }) => sql`
        SELECT ${cut} FROM webhook_deliveries d
        WHERE webhook_id = ${webhook}
          AND ${status === undefined ? sql`true` : sql`status = ${status}`}
          AND ${eventType === undefined ? sql`true` : sql`event_type = ${eventType}`}
          AND ${after === undefined ? sql`true` : sql`(d.created_at, id) < (${after[0]}::timestamptz, ${after[1]})`}
        ORDER BY d.created_at DESC, id DESC LIMIT ${count}`
    })

    const find = Query.first({
      Request: OfWebhook,
      Result: Delivery,
      execute: ({ id, webhook }) => sql`
        SELECT ${whole} FROM webhook_deliveries d WHERE id = ${id} AND webhook_id = ${webhook}`
    })

    /** Starts a new series of attempts, at once; nothing comes back for a delivery that is being attempted. */
    const redeliver = Query.first({
      Request: OfWebhook,
      Result: Delivery,
      execute: ({ id, webhook }) => sql`
        UPDATE webhook_deliveries d SET status = 'pending', trigger = 'manual', failures = 0, failure_reason = NULL,
          next_attempt_at = clock_timestamp(), finished_at = NULL
        WHERE id = ${id} AND webhook_id = ${webhook} AND status <> 'delivering' RETURNING ${whole}`
    })

    /**
     * Makes due what the subscription lists and has not received, events without a delivery to it and failed deliveries, among the next events after
     * a position; answers the last position, or null at the end. The events are held, so that one which is being removed at the moment is left out.
     */
    const recover = Query.one({
      Request: Schema.Struct({ after: Position, webhook: Webhook }),
      Result: Schema.Struct({ last: Schema.NullOr(Position), recovered: Schema.Int }),
      execute: ({ after, webhook }) => sql`
        WITH examined AS (
          SELECT id, type, created_at FROM events
          WHERE account_id = (SELECT account_id FROM webhooks WHERE id = ${webhook})
            AND (created_at, id) > (${after.createdAt}::timestamptz, ${after.id})
          ORDER BY created_at, id LIMIT ${recoveredAtOnce}
        ), listed AS (
          SELECT w.id AS webhook, e.id, e.type FROM examined JOIN events e USING (id) JOIN webhooks w ON w.id = ${webhook}
          WHERE e.type = ANY (w.events) FOR KEY SHARE OF e
        ), renewed AS (
          INSERT INTO webhook_deliveries AS d (webhook_id, event_id, event_type, trigger)
          SELECT webhook, id, type, 'manual' FROM listed
          ON CONFLICT (webhook_id, event_id) DO UPDATE SET status = 'pending', trigger = 'manual', failures = 0,
            failure_reason = NULL, next_attempt_at = clock_timestamp(), finished_at = NULL
          WHERE d.status = 'failed'
          RETURNING id
        )
        SELECT (SELECT count(*)::int FROM renewed) AS recovered, (
          SELECT json_build_object('id', id, 'createdAt', iso(created_at)) FROM examined
          ORDER BY created_at DESC, id DESC LIMIT 1) AS last`
    })

    /** Ends what still waits for a subscription that is no longer active; what is under way ends by itself. */
    const abandon = Query.none({
      Request: WebhookId,
      execute: (webhook) => sql`
        UPDATE webhook_deliveries SET status = 'failed', failure_reason = 'webhook_deactivated',
          next_attempt_at = NULL, finished_at = clock_timestamp()
        WHERE webhook_id = ${webhook} AND status = 'pending'`
    })

    return {
      abandon,
      find,
      list,
      recover,
      redeliver,
      /** Rings for the workers when the transaction commits. */
      wakeWorkers: Effect.orDie(sql`SELECT pg_notify(${channel}, ${due})`)
    }
  })
}) {}
