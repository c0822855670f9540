import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { notify } from "../../../foundation/database/Migrations.ts"
import * as Query from "../../../foundation/database/Query.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { channel } from "../../events/Events.ts"
import { DeliveryId, recoveredAtOnce, WebhookId } from "../Domain.ts"
import { deliveryExhausted, webhookDeactivated } from "../Events.ts"
import { deliveryColumns, sentRequest } from "../Rows.ts"
import { Delivery, DeliveryWithRequest } from "./Delivery.ts"

/** A position in the events, oldest first: the last examined event. */
export const Position = Schema.Struct({ createdAt: Schema.String, id: Schema.String })
export type Position = typeof Position.Type

/** The position before all events from this time on. */
export const before = (createdAt: string): Position => ({ createdAt, id: "" })

const Webhook = OwnedId(WebhookId)

const OfWebhook = Schema.Struct({ id: DeliveryId, webhook: Webhook })

/** Events about a webhook, which are never sent to that webhook. */
const ofWebhooks = [webhookDeactivated.type, deliveryExhausted.type]

/** A subscription's delivery and its owner's changes; every write holds the subscription's lock. */
export class DeliveriesRepo extends Effect.Service<DeliveriesRepo>()("webhooks/deliveries/DeliveriesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const whole = yield* deliveryColumns("whole")

    const find = Query.first({
      Request: OfWebhook,
      Result: Delivery,
      execute: ({ id, webhook }) => sql`
        SELECT ${whole} FROM webhook_deliveries d WHERE id = ${id} AND webhook_id = ${webhook}`
    })

    const findWhole = Query.first({
      Request: OfWebhook,
      Result: DeliveryWithRequest,
      execute: ({ id, webhook }) => sql`
        SELECT ${whole}, ${sql.literal(sentRequest)} AS request FROM webhook_deliveries d WHERE id = ${id} AND webhook_id = ${webhook}`
    })

    /** Starts a new series of attempts immediately; no row for a delivery during an attempt. */
    const redeliver = Query.first({
      Request: OfWebhook,
      Result: Schema.Struct({ id: DeliveryId }),
      execute: ({ id, webhook }) => sql`
        WITH ended AS (
          DELETE FROM webhook_log WHERE id = ${id} AND webhook_id = ${webhook} RETURNING *
        ), again AS (
          INSERT INTO webhook_queue (id, webhook_id, event_id, event_type, format, number, trigger, attempts, created_at)
          SELECT id, webhook_id, event_id, event_type, format, jsonb_array_length(attempts), 'manual', attempts, created_at FROM ended
          RETURNING id
        ), sooner AS (
          UPDATE webhook_queue SET trigger = 'manual', failures = 0, waiting = false, next_attempt_at = clock_timestamp()
          WHERE id = ${id} AND webhook_id = ${webhook} AND worker IS NULL RETURNING id
        )
        SELECT id FROM again UNION ALL SELECT id FROM sooner`
    })

    /**
     * Makes due, among the next events after a position, events that the subscription lists and has not received: events without a delivery to it, and failed
     * deliveries. Returns the last position, or null at the end. The events are locked, which skips events under removal.
     */
    const recover = Query.one({
      Request: Schema.Struct({ after: Position, webhook: Webhook }),
      Result: Schema.Struct({ last: Schema.NullOr(Position), recovered: Schema.Int }),
      execute: ({ after, webhook }) => sql`
        WITH examined AS (
          SELECT id, type, created_at FROM events
          WHERE account_id = (SELECT account_id FROM webhooks WHERE id = ${webhook}) AND NOT is_test
            AND (created_at, id) > (${after.createdAt}::timestamptz, ${after.id})
          ORDER BY created_at, id LIMIT ${recoveredAtOnce}
        ), listed AS (
          SELECT w.id AS webhook, w.format, e.id, e.type FROM examined JOIN events e USING (id) JOIN webhooks w ON w.id = ${webhook}
          WHERE e.type = ANY (w.events)
            AND CASE WHEN e.type = ANY (${ofWebhooks}::text[]) THEN e.body::json #>> '{data,webhook_id}' <> w.id ELSE true END
          FOR KEY SHARE OF e
        ), failed AS (
          DELETE FROM webhook_log l USING listed
          WHERE l.event_id = listed.id AND l.webhook_id = ${webhook} AND l.status = 'failed' RETURNING l.*
        ), missed AS (
          SELECT id, type, format FROM listed
          WHERE NOT EXISTS (SELECT FROM webhook_log l WHERE l.event_id = listed.id AND l.webhook_id = ${webhook})
        ), renewed AS (
          INSERT INTO webhook_queue (id, webhook_id, event_id, event_type, format, number, trigger, attempts, created_at)
          SELECT id, webhook_id, event_id, event_type, format, jsonb_array_length(attempts), 'manual', attempts, created_at FROM failed
          UNION ALL
          SELECT new_delivery_id(), ${webhook}, id, type, format, 0, 'manual', '[]', clock_timestamp() FROM missed
          ON CONFLICT (event_id, webhook_id) DO NOTHING RETURNING id
        )
        SELECT (SELECT count(*)::int FROM renewed) AS recovered, (
          SELECT json_build_object('id', id, 'createdAt', iso(created_at)) FROM examined
          ORDER BY created_at DESC, id DESC LIMIT 1) AS last`
    })

    /** Fails the waiting deliveries of an inactive subscription; running attempts end by themselves. */
    const abandon = Query.none({
      Request: WebhookId,
      execute: (webhook) => sql`
        WITH ended AS (
          DELETE FROM webhook_queue WHERE webhook_id = ${webhook} AND worker IS NULL RETURNING *
        )
        INSERT INTO webhook_log (id, webhook_id, event_id, event_type, format, status, failure_reason, attempts, created_at)
        SELECT id, webhook_id, event_id, event_type, format, 'failed', 'webhook_deactivated', attempts, created_at FROM ended`
    })

    /** Locks a subscription if it is inactive. */
    const holdInactive = Query.first({
      Request: WebhookId,
      Result: Schema.Struct({ id: WebhookId }),
      execute: (webhook) => sql`SELECT id FROM webhooks WHERE id = ${webhook} AND NOT is_active FOR NO KEY UPDATE`
    })

    /** Wakes the workers when the transaction commits. */
    const wake = Query.none({
      Request: Schema.Struct({ account: AccountId, webhook: Webhook }),
      execute: ({ account, webhook }) => sql`SELECT ${notify(sql, channel, sql`${account}::text || ':' || ${webhook}`)}`
    })

    return { abandon, find, findWhole, holdInactive, recover, redeliver, transaction: Query.transaction(sql), wake }
  })
}) {}
