import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { listedBody } from "./Limits.ts"

/** How a row of `webhooks` becomes a `Subscription`. */
export const subscriptionColumns = Effect.map(SqlClient.SqlClient, (sql) =>
  sql.literal(`webhooks.id, url, events, description, is_active, iso(failing_since) AS failing_since,
    CASE WHEN deactivation IS NOT NULL
      THEN json_build_object('reason', deactivation, 'at', iso(deactivated_at)) END AS deactivation,
    CASE WHEN previous_secret_expires_at > clock_timestamp()
      THEN iso(previous_secret_expires_at) END AS previous_secret_expires_at,
    iso(webhooks.created_at) AS created_at`)
)

/** How a row of `webhook_deliveries d` becomes a `Delivery`; in lists, answers are cut to their first characters. */
export const deliveryColumns = (bodies: "whole" | "cut") => {
  const body = bodies === "whole" ? "response_body" : `left(response_body, ${listedBody})`
  const truncated =
    bodies === "whole" ? "response_truncated" : `(response_truncated OR length(response_body) > ${listedBody})`
  return Effect.map(SqlClient.SqlClient, (sql) =>
    sql.literal(`d.id, d.webhook_id, d.event_id, d.event_type, d.status, d.failure_reason,
      iso(d.next_attempt_at) AS next_attempt_at, iso(d.created_at) AS created_at, iso(d.finished_at) AS finished_at,
      coalesce((
        SELECT json_agg(json_build_object(
          'number', number, 'trigger', a.trigger, 'started_at', iso(started_at), 'status_code', status_code,
          'latency_ms', latency_ms, 'timings', timings,
          'error', CASE WHEN error_code IS NOT NULL
            THEN json_build_object('code', error_code, 'message', error_message) END,
          'response', CASE WHEN response_body IS NOT NULL
            THEN json_build_object('body', ${body}, 'truncated', ${truncated}) END
        ) ORDER BY number) FROM webhook_attempts a WHERE a.delivery_id = d.id
      ), '[]') AS attempts`)
  )
}
