-- Names the master key that seals the secrets below, set by the first node that starts; a node with another key refuses to start.
ALTER TABLE installation ADD COLUMN master_key_id text;

CREATE TABLE webhooks (
  id text PRIMARY KEY CHECK (id ~ '^wh_[0-9a-z]{26}$'),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
  events text[] NOT NULL CHECK (cardinality(events) BETWEEN 1 AND 8),
  description text CHECK (length(description) <= 500),
  is_active boolean NOT NULL DEFAULT true,
  -- Ciphertext, bound to the id.
  secret text NOT NULL CHECK (secret LIKE 'v1.%'),
  previous_secret text CHECK (previous_secret LIKE 'v1.%'),
  previous_secret_expires_at timestamptz,
  -- Since when nothing but failure came back; null while the last word was an acceptance.
  failing_since timestamptz,
  deactivation text CHECK (deactivation IN ('gone', 'failing')),
  deactivated_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((previous_secret IS NULL) = (previous_secret_expires_at IS NULL)),
  CHECK ((deactivation IS NULL) = (deactivated_at IS NULL)),
  CHECK (deactivation IS NULL OR NOT is_active)
);
CREATE INDEX webhooks_list ON webhooks (account_id, created_at, id);

-- The outbox: an event is written by the transaction that it tells of.
CREATE TABLE events (
  id text PRIMARY KEY CHECK (id ~ '^evt_[0-9a-z]{26}$'),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  type text NOT NULL,
  -- The exact text that is signed and sent, on every attempt.
  body text NOT NULL,
  -- What happened, for events that must not be told twice.
  occurrence text,
  created_at timestamptz NOT NULL,
  UNIQUE (account_id, type, occurrence)
);
CREATE INDEX events_since ON events (account_id, created_at);

-- An id as src/webhooks/Ids.ts makes them: ten digits of the time in milliseconds, then sixteen random ones, in Crockford's base 32.
CREATE FUNCTION new_delivery_id() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT 'dlv_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', (digit & 31)::int + 1, 1), '' ORDER BY place)
  FROM (
    SELECT place, floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint >> (45 - 5 * place) AS digit
      FROM generate_series(0, 9) AS place
    UNION ALL
    SELECT 10 + byte, get_byte(random.bytes, byte)
      FROM (SELECT uuid_send(gen_random_uuid()) AS bytes) AS random, generate_series(0, 15) AS byte
  ) AS digits
$$;

CREATE TABLE webhook_deliveries (
  id text PRIMARY KEY DEFAULT new_delivery_id(),
  webhook_id text NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  event_id text NOT NULL REFERENCES events ON DELETE CASCADE,
  event_type text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivering', 'delivered', 'failed')),
  failure_reason text CHECK (failure_reason IN ('attempts_exhausted', 'webhook_deactivated')),
  -- Attempts made, counted when one is claimed: the number of the last row in webhook_attempts.
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- Known failures of this series, the place in the schedule; an attempt whose worker died is none, and a redelivery starts a new series.
  failures integer NOT NULL DEFAULT 0 CHECK (failures BETWEEN 0 AND 8),
  -- Who asked for the next attempt.
  trigger text NOT NULL DEFAULT 'automatic' CHECK (trigger IN ('automatic', 'manual')),
  next_attempt_at timestamptz DEFAULT clock_timestamp(),
  -- The worker that attempts the delivery holds it until then; nobody else may write to it.
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz,
  UNIQUE (webhook_id, event_id),
  CHECK ((status = 'delivering') = (lease IS NOT NULL)),
  CHECK ((status = 'delivering') = (leased_until IS NOT NULL)),
  CHECK ((status IN ('delivered', 'failed')) = (finished_at IS NOT NULL)),
  CHECK ((finished_at IS NULL) = (next_attempt_at IS NOT NULL)),
  CHECK ((status = 'failed') = (failure_reason IS NOT NULL))
) WITH (fillfactor = 70);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_held ON webhook_deliveries (webhook_id) WHERE status = 'delivering';
CREATE INDEX webhook_deliveries_leases ON webhook_deliveries (leased_until) WHERE status = 'delivering';
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);

-- Written when an attempt is claimed, completed when it has ended: an attempt in flight has neither status code nor error.
CREATE TABLE webhook_attempts (
  delivery_id text NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
  number integer NOT NULL CHECK (number > 0),
  trigger text NOT NULL CHECK (trigger IN ('automatic', 'manual')),
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  status_code integer,
  latency_ms double precision,
  timings json,
  error_code text,
  error_message text,
  response_body text,
  response_truncated boolean,
  PRIMARY KEY (delivery_id, number),
  CHECK ((error_code IS NULL) = (error_message IS NULL)),
  CHECK ((response_body IS NULL) = (response_truncated IS NULL))
) WITH (fillfactor = 70);

-- Claims up to `slots` due deliveries of the webhooks that are failing, or of those that are not, and numbers their attempts. At most `at_once` of a
-- webhook are ever in flight: the webhooks are locked by one statement, and what they have in flight is counted by the next, which sees what
-- others committed before. The first statement finds the webhooks with something due by leaping through the index from one to the next, so a
-- long queue of one of them costs nothing.
CREATE FUNCTION claim_webhook_deliveries(slots integer, of_failing boolean, at_once integer, lease_seconds integer)
RETURNS TABLE (
  id text, webhook_id text, lease uuid, number integer, failing boolean, url text, secret text, previous_secret text,
  event_id text, event_type text, body text
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  chosen text[];
BEGIN
  WITH RECURSIVE waiting AS (
    (SELECT d.webhook_id FROM webhook_deliveries d WHERE d.status = 'pending' ORDER BY d.webhook_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.webhook_id FROM webhook_deliveries d
            WHERE d.status = 'pending' AND d.webhook_id > waiting.webhook_id ORDER BY d.webhook_id LIMIT 1)
    FROM waiting WHERE waiting.webhook_id IS NOT NULL
  ), ready AS (
    SELECT w.id FROM waiting JOIN webhooks w ON w.id = waiting.webhook_id
      CROSS JOIN LATERAL (
        SELECT d.next_attempt_at FROM webhook_deliveries d
        WHERE d.webhook_id = w.id AND d.status = 'pending' ORDER BY d.next_attempt_at LIMIT 1
      ) AS first
    WHERE w.is_active AND (w.failing_since IS NOT NULL) = of_failing AND first.next_attempt_at <= clock_timestamp()
      AND at_once > (SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'delivering')
    ORDER BY first.next_attempt_at LIMIT slots FOR NO KEY UPDATE OF w SKIP LOCKED
  )
  SELECT array_agg(ready.id) INTO chosen FROM ready;

  RETURN QUERY
  WITH due AS (
    SELECT first.id FROM unnest(chosen) AS webhook (id) CROSS JOIN LATERAL (
      SELECT d.id, d.next_attempt_at FROM webhook_deliveries d
      WHERE d.webhook_id = webhook.id AND d.status = 'pending' AND d.next_attempt_at <= clock_timestamp()
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
