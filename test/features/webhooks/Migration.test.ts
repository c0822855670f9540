import { expect } from "bun:test"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Delivery } from "../../../src/features/webhooks/deliveries/Delivery.ts"
import { migrate, migrateTo } from "../../../src/foundation/database/Migrations.ts"
import * as Cluster from "../../cluster.ts"
import { suite } from "../../harness.ts"

const it = suite(Cluster.layer)

it.effect(
  "deliveries of an earlier release are carried over, the ended ones and those that wait or are under way",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DROP SCHEMA public CASCADE`
      yield* sql`CREATE SCHEMA public`
      // The schema before the queue stood apart from the log.
      yield* migrateTo(10)
      const account = "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11"
      yield* sql`INSERT INTO accounts (id, name, plan) VALUES (${account}, 'a', 'free')`
      yield* sql`
      INSERT INTO webhooks (id, account_id, url, events, secret)
      VALUES ('wh_01kakx3q7m8v2b5n9r4t6w0yzc', ${account}, 'https://a.example/', ARRAY['audit.failed'], 'v1.x')`
      yield* sql`
      INSERT INTO events (id, account_id, type, body, created_at)
      SELECT 'evt_01kakx3q7m8v2b5n9r4t6w0yz' || n, ${account}, 'audit.failed', '{}', now() FROM generate_series(1, 4) n`
      yield* sql`
      INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, status, failure_reason, attempts, failures, next_attempt_at,
        lease, leased_until, finished_at)
      SELECT 'dlv_01kakx3q7m8v2b5n9r4t6w0yz' || n, 'wh_01kakx3q7m8v2b5n9r4t6w0yzc', 'evt_01kakx3q7m8v2b5n9r4t6w0yz' || n, 'audit.failed',
        status, CASE status WHEN 'failed' THEN 'attempts_exhausted' END, 2, CASE status WHEN 'failed' THEN 8 ELSE 1 END,
        CASE WHEN n > 2 THEN now() + interval '1 hour' END, CASE n WHEN 4 THEN gen_random_uuid() END, CASE n WHEN 4 THEN now() END,
        CASE WHEN n < 3 THEN now() END
      FROM unnest(ARRAY['delivered', 'failed', 'pending', 'delivering']) WITH ORDINALITY AS made (status, n)`
      yield* sql`
      INSERT INTO webhook_attempts (delivery_id, number, trigger, status_code, latency_ms, timings, error_code, error_message, response_body,
        response_truncated)
      SELECT id, 1, 'automatic', 503, 1.5, '{"dns_ms":null,"connect_ms":1,"tls_ms":null,"first_byte_ms":0.5}'::json, 'http', 'no', 'busy', false
      FROM webhook_deliveries
      UNION ALL
      SELECT id, 2, 'manual', CASE WHEN status <> 'delivering' THEN 200 END, NULL, NULL, NULL, NULL, NULL, NULL FROM webhook_deliveries`

      expect(yield* migrate).toContain("0011_webhook_queue.sql")
      const rows = yield* sql`
      SELECT id, webhook_id, event_id, event_type, status, failure_reason, iso(next_attempt_at) AS next_attempt_at,
        iso(created_at) AS created_at, iso(finished_at) AS finished_at, false AS test, attempts FROM webhook_deliveries ORDER BY id`
      const deliveries = yield* Schema.decodeUnknown(Schema.Array(Delivery))(rows)
      expect(deliveries.map(({ status }) => status)).toEqual(["delivered", "failed", "pending", "pending"])
      for (const { attempts } of deliveries) {
        expect(attempts[0]).toMatchObject({
          error: { code: "http", message: "no" },
          latency_ms: 1.5,
          number: 1,
          response: { body: "busy", truncated: false },
          status_code: 503,
          timings: { body_ms: null, connect_ms: 1, first_byte_ms: 0.5, reused: false },
          trigger: "automatic"
        })
      }
      expect(deliveries[0]?.attempts[1]).toMatchObject({ error: null, number: 2, status_code: 200, trigger: "manual" })
      expect(deliveries[3]?.attempts[1]).toMatchObject({ error: { code: "interrupted" }, number: 2, status_code: null })
      const queued = yield* sql`SELECT number, failures, waiting, worker FROM webhook_queue ORDER BY id`
      expect(queued).toEqual([
        { failures: 1, number: 2, waiting: true, worker: null },
        { failures: 1, number: 2, waiting: false, worker: null }
      ])
    })
)
