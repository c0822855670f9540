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

/** The attempts of a delivery with their answers cut to their first characters. */
const cut = `(
  SELECT coalesce(jsonb_agg(CASE WHEN length(attempt #>> '{response,body}') > ${listedBody}
    THEN jsonb_set(attempt, '{response}', jsonb_build_object('body', left(attempt #>> '{response,body}', ${listedBody}), 'truncated', true))
    ELSE attempt END ORDER BY place), '[]') FROM jsonb_array_elements(d.attempts) WITH ORDINALITY AS each (attempt, place))`

/** How a row of `webhook_deliveries d` becomes a `Delivery`; in lists, answers are cut to their first characters. */
export const deliveryColumns = (bodies: "whole" | "cut") =>
  Effect.map(SqlClient.SqlClient, (sql) =>
    sql.literal(`d.id, d.webhook_id, d.event_id, d.event_type, d.status, d.failure_reason,
      iso(d.next_attempt_at) AS next_attempt_at, iso(d.created_at) AS created_at, iso(d.finished_at) AS finished_at,
      ${bodies === "whole" ? "d.attempts" : `${cut} AS attempts`}`)
  )
