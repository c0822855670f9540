import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { listedBody } from "./Domain.ts"

const stored = `webhooks.id, url, events, format, description, is_active, iso(failing_since) AS failing_since,
    CASE WHEN deactivation IS NOT NULL
      THEN json_build_object('reason', deactivation, 'at', iso(deactivated_at)) END AS deactivation,
    CASE WHEN previous_secret_expires_at > clock_timestamp()
      THEN iso(previous_secret_expires_at) END AS previous_secret_expires_at,
    iso(webhooks.created_at) AS created_at`

/** Activity of the deliveries, from index ranges: the last day's, and the latest acceptance. */
const activity = `webhook_last_day(webhooks.id) AS last_24h, iso(webhook_last_success(webhooks.id)) AS last_success_at`

/** Columns of a row of `webhooks`: as stored, or as a `Subscription` with the activity of its deliveries. */
export const subscriptionColumns = (of: "stored" | "shown") =>
  Effect.map(SqlClient.SqlClient, (sql) => sql.literal(of === "stored" ? stored : `${stored}, ${activity}`))

/** The attempts of a delivery without headers, and with their responses cut to the first characters. */
const cut = `(
  SELECT coalesce(jsonb_agg(CASE WHEN length(attempt #>> '{response,body}') > ${listedBody}
    THEN jsonb_set(attempt - 'request', '{response}', (attempt -> 'response') - 'headers'
      || jsonb_build_object('body', left(attempt #>> '{response,body}', ${listedBody}), 'truncated', true))
    ELSE attempt - 'request' #- '{response,headers}' END ORDER BY place), '[]') FROM jsonb_array_elements(d.attempts) WITH ORDINALITY AS each (attempt, place))`

/** The request of a delivery's latest attempt. */
export const sentRequest = `(
  SELECT json_build_object('headers', attempt #> '{request,headers}', 'body',
    coalesce(attempt #>> '{request,body}', (SELECT body FROM events WHERE events.id = d.event_id)))
  FROM jsonb_array_elements(d.attempts) WITH ORDINALITY AS each (attempt, place) WHERE attempt ? 'request' ORDER BY place DESC LIMIT 1)`

/** Columns that make a `Delivery` of a row of `webhook_deliveries d`; lists cut responses to their first characters. */
export const deliveryColumns = (bodies: "whole" | "cut") =>
  Effect.map(SqlClient.SqlClient, (sql) =>
    sql.literal(`d.id, d.webhook_id, d.event_id, d.event_type, d.format,
      (SELECT is_test FROM events WHERE events.id = d.event_id) AS test, d.status, d.failure_reason,
      iso(d.next_attempt_at) AS next_attempt_at, iso(d.created_at) AS created_at, iso(d.finished_at) AS finished_at,
      ${bodies === "whole" ? "d.attempts" : `${cut} AS attempts`}`)
  )
