import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { Timestamp } from "../../../foundation/schema/Timestamp.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { DeliveryId, WebhookId } from "../Domain.ts"
import { overlookedHours, patienceDays } from "../Limits.ts"
import { Attempt } from "./Attempt.ts"
import { Held } from "./QueueRepo.ts"

/** Claims of one worker. */
const Several = Schema.Struct({
  ids: Schema.Array(Schema.String),
  numbers: Schema.Array(Schema.Int),
  worker: Schema.UUID
})

const Ended = Schema.Struct({ ...Held.fields, attempt: Schema.parseJson(Attempt) })

/** The state of a delivery and its subscription when an attempt has failed. */
const Standing = Schema.Struct({
  failures: Schema.Int,
  isActive: Schema.Boolean,
  /** Whether the subscription has done nothing but fail for `patienceDays`, with a failed delivery at least `overlookedHours` ago among it. */
  outOfPatience: Schema.Boolean
})
export type Standing = typeof Standing.Type

/** The statements that record how attempts ended; for a lost claim they change nothing and return none. */
export class RecordRepo extends Effect.Service<RecordRepo>()("webhooks/deliveries/RecordRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Records accepted deliveries, with the last attempt of each as JSON; does not wait for the commit to reach the disk. */
    const accepted = Query.none({
      Request: Schema.Struct({
        ...Several.fields,
        attempts: Schema.Array(Schema.String),
        webhooks: Schema.Array(Schema.String)
      }),
      execute: ({ attempts, ids, numbers, webhooks, worker }) => sql`
        SELECT accept_webhook_deliveries(${worker}, ${webhooks}::text[], ${ids}::text[], ${numbers}::integer[], ${attempts}::text[])`
    })

    /** Locks the subscription, always before the other rows that a failure may change. */
    const standing = Query.first({
      Request: Held,
      Result: Standing,
      execute: ({ id, number, worker }) => sql`
        SELECT q.failures, w.is_active AS "isActive", NOT e.is_test AND
          coalesce(w.failing_since <= clock_timestamp() - ${patienceDays} * interval '1 day', false) AND EXISTS (
            SELECT FROM unnest(w.events) AS type JOIN webhook_log l ON l.webhook_id = w.id AND l.event_type = type
              JOIN events tried ON tried.id = l.event_id AND NOT tried.is_test
            WHERE l.status = 'failed' AND l.failure_reason = 'attempts_exhausted'
              AND l.finished_at BETWEEN clock_timestamp() - ${patienceDays} * interval '1 day'
                AND clock_timestamp() - ${overlookedHours} * interval '1 hour'
          ) AS "outOfPatience"
        FROM webhook_queue q JOIN webhooks w ON w.id = q.webhook_id JOIN events e ON e.id = q.event_id
        WHERE q.id = ${id} AND q.worker = ${worker} AND q.number = ${number} FOR NO KEY UPDATE OF w`
    })

    /** Locks the subscriptions of these deliveries, and answers the known failures of each delivery whose subscription is active. */
    const retryable = Query.all({
      Request: Several,
      Result: Schema.Struct({ id: DeliveryId, failures: Schema.Int }),
      execute: ({ ids, numbers, worker }) => sql`
        SELECT q.id, q.failures FROM unnest(${ids}::text[], ${numbers}::integer[]) AS ended (id, number)
        JOIN webhook_queue q ON q.id = ended.id AND q.worker = ${worker} AND q.number = ended.number
        JOIN webhooks w ON w.id = q.webhook_id AND w.is_active
        ORDER BY w.id, q.id FOR NO KEY UPDATE OF w`
    })

    /** Puts deliveries back into the queue, each with its wait in milliseconds. A test that fails does not make its subscription a failing one. */
    const retried = Query.none({
      Request: Schema.Struct({
        ...Several.fields,
        attempts: Schema.Array(Schema.parseJson(Attempt)),
        waits: Schema.Array(Schema.Number)
      }),
      execute: ({ attempts, ids, numbers, waits, worker }) => sql`
        WITH batch AS (
          SELECT * FROM unnest(${ids}::text[], ${numbers}::integer[], ${waits}::float8[], ${attempts}::text[])
            AS one (id, number, wait, attempt)
        ), before AS (
          SELECT q.id, q.webhook_id, q.started_at, batch.wait, batch.attempt FROM batch JOIN webhook_queue q ON q.id = batch.id
          WHERE q.worker = ${worker} AND q.number = batch.number FOR UPDATE OF q
        ), ended AS (
          UPDATE webhook_queue q SET worker = NULL, started_at = NULL, waiting = true, failures = failures + 1,
            trigger = 'automatic', next_attempt_at = clock_timestamp() + before.wait * interval '1 millisecond',
            waits_since = clock_timestamp(), attempts = attempts || before.attempt::jsonb
          FROM before WHERE q.id = before.id RETURNING q.event_id, before.webhook_id, before.started_at
        ), first AS (
          SELECT webhook_id, min(started_at) AS started_at FROM ended
          WHERE NOT (SELECT is_test FROM events WHERE id = ended.event_id) GROUP BY webhook_id
        )
        UPDATE webhooks SET failing_since = first.started_at FROM first
        WHERE webhooks.id = first.webhook_id AND failing_since IS NULL`
    })

    /** Fails the delivery; answers since when its subscription has been failing, which a test does not change. */
    const failed = Query.first({
      Request: Schema.Struct({ ...Ended.fields, reason: Schema.Literal("attempts_exhausted", "webhook_deactivated") }),
      Result: Schema.Struct({ account: AccountId, attempts: Schema.Int, isTest: Schema.Boolean, since: Timestamp }),
      execute: ({ attempt, id, number, reason, worker }) => sql`
        WITH ended AS (
          DELETE FROM webhook_queue WHERE id = ${id} AND worker = ${worker} AND number = ${number} RETURNING *
        ), logged AS (
          INSERT INTO webhook_log (id, webhook_id, event_id, event_type, status, failure_reason, attempts, created_at)
          SELECT id, webhook_id, event_id, event_type, 'failed', ${reason}, attempts || ${attempt}::jsonb, created_at FROM ended
        )
        UPDATE webhooks SET failing_since = CASE WHEN is_test THEN failing_since ELSE coalesce(failing_since, started_at) END
        FROM ended JOIN events e ON e.id = ended.event_id WHERE webhooks.id = ended.webhook_id
        RETURNING webhooks.account_id AS account, number AS attempts, is_test AS "isTest", iso(coalesce(failing_since, started_at)) AS since`
    })

    const deactivate = Query.none({
      Request: Schema.Struct({ reason: Schema.Literal("gone", "failing"), webhook: WebhookId }),
      execute: ({ reason, webhook }) => sql`
        UPDATE webhooks SET is_active = false, deactivation = ${reason}, deactivated_at = clock_timestamp()
        WHERE id = ${webhook} AND is_active`
    })

    return { accepted, deactivate, failed, retried, retryable, standing, transaction: Query.transaction(sql) }
  })
}) {}
