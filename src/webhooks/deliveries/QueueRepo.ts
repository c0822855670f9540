import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../database/Query.ts"
import { channel, due } from "../../events/Channel.ts"
import { EventBody } from "../../events/EventBody.ts"
import { EventId } from "../../events/EventId.ts"
import { EventType } from "../Catalogue.ts"
import { DeliveryId, WebhookId } from "../Domain.ts"
import { atOnce, leaseSeconds } from "../Limits.ts"
import { Target } from "../subscriptions/SubscriptionsRepo.ts"

/** A delivery in a worker's hands, with all that its attempt needs; every write names the lease, so that a worker which lost it can change nothing. */
export const Claim = Schema.Struct({
  id: DeliveryId,
  lease: Schema.UUID,
  webhook: WebhookId,
  number: Schema.Int,
  failing: Schema.Boolean,
  ...Target.fields,
  eventId: EventId,
  eventType: EventType,
  body: EventBody
})
export type Claim = typeof Claim.Type

const Held = Schema.Struct({ id: DeliveryId, lease: Schema.UUID })

/** The queue that the deliveries are: claiming them, and taking them back from workers that are gone. */
export class QueueRepo extends Effect.Service<QueueRepo>()("webhooks/deliveries/QueueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const claim = Query.all({
      Request: Schema.Struct({ kind: Schema.Literal("healthy", "failing"), slots: Schema.Int }),
      Result: Claim,
      execute: ({ kind, slots }) => sql`
        SELECT id, lease, webhook_id AS webhook, number, failing, url, secret, previous_secret AS "previousSecret",
          event_id AS "eventId", event_type AS "eventType", body
        FROM claim_webhook_deliveries(${slots}, ${kind === "failing"}, ${atOnce[kind]}, ${leaseSeconds})`
    })

    const unlease = sql.literal(
      `status = 'pending', lease = NULL, leased_until = NULL, next_attempt_at = clock_timestamp()`
    )
    const interrupted = sql.literal(
      `error_code = 'interrupted', error_message = 'The worker stopped before it knew what the receiver answered'`
    )

    /** Gives a delivery back at once; the attempt is counted, as the receiver may have got it, but not as a failure. */
    const handBack = Query.none({
      Request: Held,
      execute: ({ id, lease }) => sql`
        WITH freed AS (
          UPDATE webhook_deliveries SET ${unlease} WHERE id = ${id} AND lease = ${lease} RETURNING id, attempts
        ), attempt AS (
          UPDATE webhook_attempts SET ${interrupted} FROM freed WHERE delivery_id = freed.id AND number = freed.attempts
        )
        SELECT pg_notify(${channel}, ${due}) FROM freed`
    })

    /** The same for all whose worker did not come back in time. */
    const expire = Query.all({
      Request: Schema.Void,
      Result: Schema.Struct({ id: DeliveryId }),
      execute: () => sql`
        WITH freed AS (
          UPDATE webhook_deliveries SET ${unlease}
          WHERE id IN (SELECT id FROM webhook_deliveries WHERE status = 'delivering' AND leased_until < clock_timestamp()
                       FOR UPDATE SKIP LOCKED)
          RETURNING id, attempts
        ), attempt AS (
          UPDATE webhook_attempts SET ${interrupted} FROM freed WHERE delivery_id = freed.id AND number = freed.attempts
        )
        SELECT id, pg_notify(${channel}, ${due}) FROM freed`
    })

    /**
     * Ends what waits for a subscription that is not active: an event that was committed at the moment of its deactivation, or a delivery that came
     * back from a lost worker after it.
     */
    const abandonInactive = Query.none({
      Request: Schema.Void,
      execute: () => sql`
        UPDATE webhook_deliveries SET status = 'failed', failure_reason = 'webhook_deactivated',
          next_attempt_at = NULL, finished_at = clock_timestamp()
        WHERE id IN (SELECT d.id FROM webhooks w JOIN webhook_deliveries d ON d.webhook_id = w.id
                     WHERE NOT w.is_active AND d.status = 'pending' FOR UPDATE OF d SKIP LOCKED)`
    })

    /** For how many seconds the delivery that has been due for the longest time has waited, by what is known of its receiver. */
    const lateness = Query.one({
      Request: Schema.Void,
      Result: Schema.Struct({ failing: Schema.Number, healthy: Schema.Number }),
      execute: () => sql`
        SELECT greatest(0, max(seconds) FILTER (WHERE failing)) AS failing,
          greatest(0, max(seconds) FILTER (WHERE NOT failing)) AS healthy
        FROM (
          SELECT failing_since IS NOT NULL AS failing,
            extract(epoch FROM clock_timestamp() - next_attempt_at)::float8 AS seconds
          FROM webhook_queues JOIN webhooks ON id = webhook_id WHERE is_active
        ) AS waiting`
    })

    return {
      abandonInactive: abandonInactive(undefined),
      claim,
      expire: expire(undefined),
      handBack,
      lateness: lateness(undefined)
    }
  })
}) {}
