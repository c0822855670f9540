import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../database/Query.ts"
import { DeliveryId, WebhookId } from "../Domain.ts"
import { AttemptError, KeptResponse, Timings } from "./Attempt.ts"

const Held = Schema.Struct({ id: DeliveryId, lease: Schema.UUID })

/** What is kept of an attempt. */
const Ended = Schema.Struct({
  ...Held.fields,
  statusCode: Schema.NullOr(Schema.Int),
  latencyMs: Schema.NullOr(Schema.Number),
  timings: Schema.NullOr(Schema.parseJson(Timings)),
  response: Schema.NullOr(KeptResponse)
})

/** What is known of a subscription when one of its attempts has failed. */
const Standing = Schema.Struct({
  failures: Schema.Int,
  isActive: Schema.Boolean,
  /** Milliseconds since its unbroken row of failures began. */
  failingForMs: Schema.NullOr(Schema.Number)
})

/** The statements that record how an attempt ended; nothing comes back from one whose lease was lost. */
export class RecordRepo extends Effect.Service<RecordRepo>()("webhooks/deliveries/RecordRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const accepted = Query.none({
      Request: Ended,
      execute: ({ id, latencyMs, lease, response, statusCode, timings }) => sql`
        WITH ended AS (
          UPDATE webhook_deliveries SET status = 'delivered', finished_at = clock_timestamp(), next_attempt_at = NULL,
            lease = NULL, leased_until = NULL
          WHERE id = ${id} AND lease = ${lease} RETURNING id, attempts
        )
        UPDATE webhook_attempts SET status_code = ${statusCode}, latency_ms = ${latencyMs}, timings = ${timings}::json,
          response_body = ${response?.body ?? null}, response_truncated = ${response?.truncated ?? null}
        FROM ended WHERE delivery_id = ended.id AND number = ended.attempts`
    })

    /** Ends the unbroken row of failures; a statement of its own, so that the usual acceptance touches no row that others wait for. */
    const recovered = Query.none({
      Request: WebhookId,
      execute: (webhook) => sql`
        UPDATE webhooks SET failing_since = NULL WHERE id = ${webhook} AND failing_since IS NOT NULL`
    })

    /** Holds the subscription, the first of all rows that a failure may change. */
    const standing = Query.first({
      Request: Held,
      Result: Standing,
      execute: ({ id, lease }) => sql`
        SELECT d.failures, w.is_active AS "isActive",
          (extract(epoch FROM clock_timestamp() - w.failing_since) * 1000)::float8 AS "failingForMs"
        FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
        WHERE d.id = ${id} AND d.lease = ${lease} FOR NO KEY UPDATE OF w`
    })

    /** With `waitMs` the delivery is tried again after so many milliseconds, without it has failed for the reason given. */
    const refused = Query.first({
      Request: Schema.Struct({
        ...Ended.fields,
        error: AttemptError,
        reason: Schema.NullOr(Schema.Literal("attempts_exhausted", "webhook_deactivated")),
        waitMs: Schema.NullOr(Schema.Number)
      }),
      Result: Schema.Struct({ webhook: WebhookId }),
      execute: ({ error, id, latencyMs, lease, reason, response, statusCode, timings, waitMs }) => sql`
        WITH ended AS (
          UPDATE webhook_deliveries SET failures = failures + 1, trigger = 'automatic', lease = NULL, leased_until = NULL,
            status = ${waitMs === null ? "failed" : "pending"}, failure_reason = ${reason},
            next_attempt_at = clock_timestamp() + ${waitMs}::float8 * interval '1 millisecond',
            finished_at = ${waitMs === null ? sql`clock_timestamp()` : sql`NULL`}
          WHERE id = ${id} AND lease = ${lease} RETURNING id, webhook_id, attempts
        ), attempt AS (
          UPDATE webhook_attempts SET status_code = ${statusCode}, latency_ms = ${latencyMs}, timings = ${timings}::json,
            error_code = ${error.code}, error_message = ${error.message},
            response_body = ${response?.body ?? null}, response_truncated = ${response?.truncated ?? null}
          FROM ended WHERE delivery_id = ended.id AND number = ended.attempts
          RETURNING started_at
        )
        UPDATE webhooks SET failing_since = coalesce(failing_since, attempt.started_at) FROM ended, attempt
        WHERE webhooks.id = ended.webhook_id RETURNING webhooks.id AS webhook`
    })

    const deactivate = Query.none({
      Request: Schema.Struct({ reason: Schema.Literal("gone", "failing"), webhook: WebhookId }),
      execute: ({ reason, webhook }) => sql`
        UPDATE webhooks SET is_active = false, deactivation = ${reason}, deactivated_at = clock_timestamp()
        WHERE id = ${webhook} AND is_active`
    })

    return { accepted, deactivate, recovered, refused, standing, transaction: Query.transaction(sql) }
  })
}) {}
