CREATE TABLE webhooks (
  id text PRIMARY KEY CHECK (id ~ '^wh_[0-9a-z]{26}$'),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
  -- The catalogue of events defines the names.
  events text[] NOT NULL CHECK (cardinality(events) > 0),
  -- The format: events, or messages of a chat service.
  format text NOT NULL DEFAULT 'json' CHECK (format IN ('json', 'slack', 'discord', 'teams')),
  description text CHECK (length(description) <= 500),
  is_active boolean NOT NULL DEFAULT true,
  -- Ciphertext, bound to the id. A replaced secret signs for 24 hours, even when its successor is replaced meanwhile; at most three secrets sign.
  secret text NOT NULL CHECK (secret LIKE 'v1.%'),
  previous_secret text CHECK (previous_secret LIKE 'v1.%'), previous_secret_expires_at timestamptz,
  -- The time since which every attempt failed; null after an accepted one.
  failing_since timestamptz,
  deactivation text CHECK (deactivation IN ('gone', 'failing')), deactivated_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  earlier_secret text CHECK (earlier_secret LIKE 'v1.%'), earlier_secret_expires_at timestamptz,
  CHECK ((previous_secret IS NULL) = (previous_secret_expires_at IS NULL)),
  CHECK ((deactivation IS NULL) = (deactivated_at IS NULL)), CHECK (deactivation IS NULL OR NOT is_active),
  CHECK ((earlier_secret IS NULL) = (earlier_secret_expires_at IS NULL))
);
CREATE INDEX webhooks_list ON webhooks (account_id, created_at, id);

-- The worker processes. A worker holds its deliveries as long as its own lease, which it renews.
CREATE TABLE webhook_workers (id uuid PRIMARY KEY, leased_until timestamptz NOT NULL) WITH (fillfactor = 10);

-- Claims and acceptances do not wait for the disk, so a crash of the database can undo commits that a worker knows, or keep commits that it never heard of.
-- Unlogged rows vanish in a crash, and on a standby that takes over. A worker without its mark therefore reads its claims again.
CREATE UNLOGGED TABLE webhook_worker_marks (worker uuid PRIMARY KEY);

-- An id in the form of src/foundation/secrets/Entropy.ts: ten digits of the time in milliseconds, then sixteen random digits, in Crockford's base 32.
CREATE FUNCTION new_delivery_id() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  alphabet constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  milliseconds constant bigint := floor(extract(epoch FROM statement_timestamp()) * 1000);
  random constant bytea := uuid_send(gen_random_uuid());
  id text := 'dlv_';
BEGIN
  FOR place IN 0..9 LOOP id := id || substr(alphabet, (milliseconds >> (45 - 5 * place) & 31)::int + 1, 1); END LOOP;
  FOR byte IN 0..15 LOOP id := id || substr(alphabet, (get_byte(random, byte) & 31) + 1, 1); END LOOP;
  RETURN id;
END $$;

-- This small queue has the unfinished deliveries; the log, which is only appended to, has the ended ones. So the cost of a claim does not depend on the length
-- of the log, or on the number of deliveries that wait for a later attempt. A claim writes a new, slightly longer version of a row. With room in its page for
-- both versions, the claim touches no index (a HOT update).
CREATE TABLE webhook_queue (
  id text PRIMARY KEY DEFAULT new_delivery_id(),
  webhook_id text NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  event_id text NOT NULL REFERENCES events ON DELETE CASCADE,
  event_type text NOT NULL,
  -- The webhook's format at the time of queueing, for every attempt.
  format text NOT NULL DEFAULT 'json',
  -- Whether the next attempt is not due yet. Due deliveries are found without reading waiting ones.
  waiting boolean NOT NULL DEFAULT false,
  next_attempt_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Begun attempts. Worker and number identify a claim, so a worker without its claim can change nothing.
  number integer NOT NULL DEFAULT 0 CHECK (number >= 0),
  -- Known failures of this series, the place in the retry schedule (`retryDelays`), which ends the delivery after its last place. An attempt of a dead worker
  -- does not count, and resending starts a new series.
  failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  -- The trigger of the next attempt.
  trigger text NOT NULL DEFAULT 'automatic' CHECK (trigger IN ('automatic', 'manual')),
  -- The worker of the current attempt, and its start.
  worker uuid, started_at timestamptz,
  -- The ended attempts in the API's form.
  attempts jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The start of the wait for the next attempt; after the clock was set back, the wait continues from there. Null before the first failure.
  waits_since timestamptz,
  UNIQUE (event_id, webhook_id),
  CHECK ((worker IS NULL) = (started_at IS NULL)), CHECK (NOT waiting OR worker IS NULL)
) WITH (fillfactor = 45, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX webhook_queue_due ON webhook_queue (webhook_id, next_attempt_at) WHERE NOT waiting;
CREATE INDEX webhook_queue_waiting ON webhook_queue (next_attempt_at) WHERE waiting;
CREATE INDEX webhook_queue_list ON webhook_queue (webhook_id, event_type, created_at DESC, id DESC);

CREATE TABLE webhook_log (
  id text PRIMARY KEY,
  webhook_id text NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  event_id text NOT NULL REFERENCES events ON DELETE CASCADE,
  event_type text NOT NULL,
  format text NOT NULL DEFAULT 'json',
  status text NOT NULL CHECK (status IN ('delivered', 'failed')),
  failure_reason text CHECK (failure_reason IN ('attempts_exhausted', 'webhook_deactivated')),
  attempts jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  finished_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (event_id, webhook_id),
  CHECK ((status = 'failed') = (failure_reason IS NOT NULL))
);
-- One index for the whole log and for its filters: a list merges its few ranges.
CREATE INDEX webhook_log_list ON webhook_log (webhook_id, event_type, status, created_at DESC, id DESC);
-- For the summary of a subscription's log: its deliveries of the last day, the newest of each status (also for the list of an account's deliveries), and its
-- newest acceptance. Each is a range of an index, and does not depend on the length of the log.
CREATE INDEX webhook_log_newest ON webhook_log (webhook_id, status, created_at DESC, id DESC);
CREATE INDEX webhook_log_accepted ON webhook_log (webhook_id, finished_at) WHERE status = 'delivered';

-- An attempt with an unknown end.
CREATE FUNCTION interrupted_attempt(number integer, trigger text, started_at timestamptz) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('number', number, 'trigger', trigger, 'started_at', iso(started_at), 'status_code', NULL,
    'latency_ms', NULL, 'timings', NULL, 'response', NULL, 'error', jsonb_build_object('code', 'interrupted',
      'message', 'The worker stopped before it knew what the receiver answered'))
$$;

-- Every delivery in the API's form, from the queue or the log. A current attempt has no status code and no error.
CREATE VIEW webhook_deliveries AS
  SELECT id, webhook_id, event_id, event_type, format, CASE WHEN worker IS NULL THEN 'pending' ELSE 'delivering' END AS status,
    NULL::text AS failure_reason, next_attempt_at,
    CASE WHEN worker IS NULL THEN attempts ELSE attempts || (interrupted_attempt(number, trigger, started_at) || '{"error": null}') END AS attempts,
    created_at, NULL::timestamptz AS finished_at
  FROM webhook_queue
  UNION ALL
  SELECT id, webhook_id, event_id, event_type, format, status, failure_reason, NULL, attempts, created_at, finished_at
  FROM webhook_log;

-- The three functions of a worker are planned once a session (`plan_cache_mode`). For so few rows PostgreSQL would prefer a custom plan each time, and planning
-- takes two thirds of the statement's time.

-- A worker's work once a second: takes over from workers with expired leases, makes deliveries due after their wait, and finds the next `most` webhooks after
-- one with due deliveries, by leaps through the index. `next` is the due time of the first waiting delivery. Without a due webhook, one row without a webhook
-- is returned.
CREATE FUNCTION poll_webhook_queue(after text, most integer)
RETURNS TABLE (webhook text, account uuid, active boolean, next timestamptz) LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE dead uuid[]; soonest timestamptz;
BEGIN
  -- A lease that ends in a minute or later is from before the clock was set back. A living worker renews its lease, and repeats its current attempts.
  WITH gone AS (DELETE FROM webhook_workers WHERE leased_until < clock_timestamp() OR leased_until > clock_timestamp() + interval '1 minute' RETURNING id)
  SELECT array_agg(id) INTO dead FROM gone;
  IF dead IS NOT NULL THEN
    UPDATE webhook_queue SET worker = NULL, started_at = NULL, next_attempt_at = clock_timestamp(),
      attempts = attempts || interrupted_attempt(number, trigger, started_at)
    WHERE worker = ANY (dead);
  END IF;
  UPDATE webhook_queue SET waiting = false WHERE id IN (
    SELECT id FROM webhook_queue WHERE waiting AND next_attempt_at <= statement_timestamp()
    ORDER BY next_attempt_at LIMIT 500 FOR UPDATE SKIP LOCKED);
  SELECT min(next_attempt_at) INTO soonest FROM webhook_queue WHERE waiting;
  RETURN QUERY
  WITH RECURSIVE turns AS (
    (SELECT webhook_id, 1 AS place FROM webhook_queue WHERE NOT waiting AND webhook_id > after ORDER BY webhook_id LIMIT 1)
    UNION ALL
    SELECT (SELECT q.webhook_id FROM webhook_queue q WHERE NOT q.waiting AND q.webhook_id > turns.webhook_id ORDER BY q.webhook_id LIMIT 1), place + 1
    FROM turns WHERE turns.webhook_id IS NOT NULL AND place < most
  )
  SELECT w.id, w.account_id, w.is_active, soonest FROM turns JOIN webhooks w ON w.id = turns.webhook_id;
  IF NOT FOUND THEN RETURN QUERY SELECT NULL::text, NULL::uuid, NULL::boolean, soonest; END IF;
END $$;

-- Claims for each of these webhooks up to its count of due deliveries, and numbers their attempts. `since` is where this worker's last claim ended: dead rows
-- that a long-running transaction keeps are not read again. A worker without a lease gets nothing. The commit does not wait for the disk: a claim that a crash
-- of the database undoes costs at most a duplicate.
CREATE FUNCTION claim_webhook_deliveries(claimer uuid, asked text[], counts integer[], since timestamptz[])
RETURNS TABLE (
  id text, webhook_id text, number integer, failing boolean, url text, format text, secret text, previous_secret text, earlier_secret text,
  event_id text, event_type text, body text, trigger text, started_at text, due_at text, waited_ms double precision
) LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM FROM webhook_workers WHERE id = claimer AND leased_until > clock_timestamp() FOR KEY SHARE;
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY
  WITH due AS MATERIALIZED (
    SELECT first.id FROM unnest(asked, counts, since) AS turn (webhook, count, since)
      JOIN webhooks w ON w.id = turn.webhook AND w.is_active
      CROSS JOIN LATERAL (
        SELECT q.id FROM webhook_queue q
        WHERE q.webhook_id = turn.webhook AND NOT q.waiting AND q.worker IS NULL AND q.next_attempt_at >= turn.since - interval '5 seconds'
        ORDER BY q.next_attempt_at LIMIT turn.count FOR UPDATE SKIP LOCKED
      ) AS first
  ), claimed AS (
    UPDATE webhook_queue q SET worker = claimer, number = q.number + 1, started_at = clock_timestamp()
    FROM due WHERE q.id = due.id RETURNING q.*
  )
  SELECT c.id, c.webhook_id, c.number, w.failing_since IS NOT NULL, w.url, c.format, w.secret,
    CASE WHEN w.previous_secret_expires_at > clock_timestamp() THEN w.previous_secret END,
    CASE WHEN w.earlier_secret_expires_at > clock_timestamp() THEN w.earlier_secret END,
    c.event_id, c.event_type, e.body, c.trigger, iso(c.started_at), iso(c.next_attempt_at),
    (extract(epoch FROM c.started_at - c.next_attempt_at) * 1000)::float8
  FROM claimed c JOIN webhooks w ON w.id = c.webhook_id JOIN events e ON e.id = c.event_id;
END $$;

-- Moves accepted deliveries into the log, and ends the series of failures of their webhooks. The webhooks are locked first, like in every change of several of
-- these rows. The commit does not wait for the disk either.
CREATE FUNCTION accept_webhook_deliveries(claimer uuid, of_webhooks text[], ids text[], numbers integer[], ended text[])
RETURNS void LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM FROM webhooks WHERE id = ANY (of_webhooks) ORDER BY id FOR KEY SHARE;
  WITH accepted AS (
    DELETE FROM webhook_queue q USING unnest(ids, numbers, ended) AS told (id, number, attempt)
    WHERE q.id = told.id AND q.worker = claimer AND q.number = told.number RETURNING q.*, told.attempt
  )
  INSERT INTO webhook_log (id, webhook_id, event_id, event_type, format, status, attempts, created_at)
    SELECT id, webhook_id, event_id, event_type, format, 'delivered', attempts || attempt::jsonb, created_at FROM accepted;
  PERFORM FROM webhooks WHERE id = ANY (of_webhooks) AND failing_since IS NOT NULL ORDER BY id FOR NO KEY UPDATE;
  IF FOUND THEN UPDATE webhooks SET failing_since = NULL WHERE id = ANY (of_webhooks) AND failing_since IS NOT NULL; END IF;
END $$;

-- Deliveries of a subscription within the last 24 hours, by their state; and the time of the last acceptance. As functions, because the planner then estimates
-- a list of subscriptions by its rows, not by the log's statistics, and one generic plan serves all accounts.
CREATE FUNCTION webhook_last_day(webhook text) RETURNS json STABLE LANGUAGE sql AS $$
  SELECT json_build_object(
    'delivered', (SELECT count(*)::int FROM webhook_log l
      WHERE l.webhook_id = webhook AND l.status = 'delivered' AND l.created_at > statement_timestamp() - interval '24 hours'),
    'failed', (SELECT count(*)::int FROM webhook_log l
      WHERE l.webhook_id = webhook AND l.status = 'failed' AND l.created_at > statement_timestamp() - interval '24 hours'),
    'pending', (SELECT count(*)::int FROM webhook_queue q WHERE q.webhook_id = webhook AND q.created_at > statement_timestamp() - interval '24 hours'))
$$;
CREATE FUNCTION webhook_last_success(webhook text) RETURNS timestamptz STABLE LANGUAGE sql AS $$
  SELECT max(l.finished_at) FROM webhook_log l WHERE l.webhook_id = webhook AND l.status = 'delivered'
$$;
