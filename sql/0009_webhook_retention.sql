-- Events are removed by their age.
CREATE INDEX events_age ON events (created_at);

-- An id as src/webhooks/Ids.ts makes them: ten digits of the time in milliseconds, then sixteen random ones, in Crockford's base 32.
CREATE OR REPLACE FUNCTION new_delivery_id() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  milliseconds constant bigint := floor(extract(epoch FROM statement_timestamp()) * 1000);
  random constant bytea := uuid_send(gen_random_uuid());
  id text := 'dlv_';
BEGIN
  FOR place IN 0..9 LOOP
    id := id || substr(alphabet, (milliseconds >> (45 - 5 * place) & 31)::int + 1, 1);
  END LOOP;
  FOR byte IN 0..15 LOOP
    id := id || substr(alphabet, (get_byte(random, byte) & 31) + 1, 1);
  END LOOP;
  RETURN id;
END $$;

-- The webhooks for which deliveries wait, and when the first of these is due. They are found by leaping through the index from one to the next, so a
-- long queue of one of them costs nothing.
CREATE VIEW webhook_queues AS
WITH RECURSIVE waiting AS (
  (SELECT d.webhook_id FROM webhook_deliveries d WHERE d.status = 'pending' ORDER BY d.webhook_id LIMIT 1)
  UNION ALL
  SELECT (SELECT d.webhook_id FROM webhook_deliveries d
          WHERE d.status = 'pending' AND d.webhook_id > waiting.webhook_id ORDER BY d.webhook_id LIMIT 1)
  FROM waiting WHERE waiting.webhook_id IS NOT NULL
)
SELECT waiting.webhook_id, first.next_attempt_at FROM waiting CROSS JOIN LATERAL (
  SELECT d.next_attempt_at FROM webhook_deliveries d
  WHERE d.webhook_id = waiting.webhook_id AND d.status = 'pending' ORDER BY d.next_attempt_at LIMIT 1
) AS first;

-- Claims up to `slots` due deliveries of the webhooks that are failing, or of those that are not, and numbers their attempts. At most `at_once` of a
-- webhook are ever in flight: the webhooks are locked by one statement, and what they have in flight is counted by the next, which sees what
-- others committed before. What is due is told by a time that does not change meanwhile, so that the index finds it.
CREATE OR REPLACE FUNCTION claim_webhook_deliveries(slots integer, of_failing boolean, at_once integer, lease_seconds integer)
RETURNS TABLE (
  id text, webhook_id text, lease uuid, number integer, failing boolean, url text, secret text, previous_secret text,
  event_id text, event_type text, body text
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  chosen text[];
BEGIN
  WITH ready AS (
    SELECT w.id FROM webhook_queues AS queue JOIN webhooks w ON w.id = queue.webhook_id
    WHERE w.is_active AND (w.failing_since IS NOT NULL) = of_failing AND queue.next_attempt_at <= statement_timestamp()
      AND at_once > (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'delivering')
    ORDER BY queue.next_attempt_at LIMIT slots FOR NO KEY UPDATE OF w SKIP LOCKED
  )
  SELECT array_agg(ready.id) INTO chosen FROM ready;

  RETURN QUERY
  WITH due AS (
    SELECT first.id FROM unnest(chosen) AS webhook (id) CROSS JOIN LATERAL (
      SELECT d.id, d.next_attempt_at FROM webhook_deliveries d
      WHERE d.webhook_id = webhook.id AND d.status = 'pending' AND d.next_attempt_at <= statement_timestamp()
      ORDER BY d.next_attempt_at
      LIMIT greatest(0, at_once - (SELECT count(*) FROM webhook_deliveries h
                                   WHERE h.webhook_id = webhook.id AND h.status = 'delivering'))
      FOR UPDATE SKIP LOCKED
    ) AS first ORDER BY first.next_attempt_at LIMIT slots
  ), claimed AS (
    UPDATE webhook_deliveries d SET status = 'delivering', attempts = d.attempts + 1, lease = gen_random_uuid(),
      leased_until = clock_timestamp() + lease_seconds * interval '1 second'
    FROM due WHERE d.id = due.id
    RETURNING d.id, d.webhook_id, d.lease, d.attempts AS number, d.trigger, d.event_id, d.event_type
  ), attempt AS (
    INSERT INTO webhook_attempts (delivery_id, number, trigger) SELECT c.id, c.number, c.trigger FROM claimed c
  )
  SELECT c.id, c.webhook_id, c.lease, c.number, w.failing_since IS NOT NULL, w.url, w.secret,
    CASE WHEN w.previous_secret_expires_at > clock_timestamp() THEN w.previous_secret END,
    c.event_id, c.event_type, e.body
  FROM claimed c JOIN webhooks w ON w.id = c.webhook_id JOIN events e ON e.id = c.event_id;
END $$;
