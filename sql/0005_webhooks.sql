CREATE TABLE webhooks (
  id text PRIMARY KEY CHECK (id ~ '^wh_[0-9a-z]{26}$'),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
  -- Which names there are is for the catalogue to say.
  events text[] NOT NULL CHECK (cardinality(events) > 0),
  -- What it gets: events, or messages of a chat service.
  format text NOT NULL DEFAULT 'json' CHECK (format IN ('json', 'slack', 'discord', 'teams')),
  description text CHECK (length(description) <= 500),
  is_active boolean NOT NULL DEFAULT true,
  -- Ciphertext, bound to the id. A secret that was replaced signs for its own 24 hours, also when its successor is replaced meanwhile: three secrets sign
  -- at most.
  secret text NOT NULL CHECK (secret LIKE 'v1.%'),
  previous_secret text CHECK (previous_secret LIKE 'v1.%'), previous_secret_expires_at timestamptz,
  -- Since when nothing but failure came back; null while the last word was an acceptance.
  failing_since timestamptz,
  deactivation text CHECK (deactivation IN ('gone', 'failing')), deactivated_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  earlier_secret text CHECK (earlier_secret LIKE 'v1.%'), earlier_secret_expires_at timestamptz,
  CHECK ((previous_secret IS NULL) = (previous_secret_expires_at IS NULL)),
  CHECK ((deactivation IS NULL) = (deactivated_at IS NULL)), CHECK (deactivation IS NULL OR NOT is_active),
  CHECK ((earlier_secret IS NULL) = (earlier_secret_expires_at IS NULL))
);
CREATE INDEX webhooks_list ON webhooks (account_id, created_at, id);

-- The worker processes. A worker holds what it attempts for as long as its own lease, which it renews.
CREATE TABLE webhook_workers (id uuid PRIMARY KEY, leased_until timestamptz NOT NULL) WITH (fillfactor = 10);

-- Claims and acceptances are not waited for until they are on the disk, so a crash of the database can undo what a worker knows, or keep what it never
-- heard of. What is unlogged is gone after a crash, and on a standby that takes over: a worker that misses its mark asks what it really holds.
CREATE UNLOGGED TABLE webhook_worker_marks (worker uuid PRIMARY KEY);

-- An id as src/foundation/secrets/Entropy.ts makes them: ten digits of the time in milliseconds, then sixteen random ones, in Crockford's base 32.
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

-- What still has to be delivered stands in this small queue, what has ended in the log, which is only appended to. So the cost of a claim depends neither
-- on the length of the log nor on how much merely waits for a later attempt. A claim writes a new version of a row, a little longer than the one before;
-- with room for one of each in its page it touches no index (a HOT update).
CREATE TABLE webhook_queue (
  id text PRIMARY KEY DEFAULT new_delivery_id(),
  webhook_id text NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  event_id text NOT NULL REFERENCES events ON DELETE CASCADE,
  event_type text NOT NULL,
  -- The format that the webhook had when it was queued: every attempt sends the same.
  format text NOT NULL DEFAULT 'json',
  -- Its next attempt is still to come; what is due is found without looking at what waits.
  waiting boolean NOT NULL DEFAULT false,
  next_attempt_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Attempts begun. With the worker it names a claim: a worker that lost one can change nothing.
  number integer NOT NULL DEFAULT 0 CHECK (number >= 0),
  -- Known failures of this series, the place in the schedule; an attempt whose worker died is none, and a redelivery starts a new series. How many of them
  -- end a delivery is for the retry schedule to say (`retryDelays`).
  failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  -- Who asked for the next attempt.
  trigger text NOT NULL DEFAULT 'automatic' CHECK (trigger IN ('automatic', 'manual')),
  -- Who attempts it now, and since when.
  worker uuid, started_at timestamptz,
  -- The attempts that have ended, as the API shows them.
  attempts jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Since when a delivery waits for its next attempt: after the clock was set back it waits on from there. Null before its first failure.
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
-- One index for the log whole and narrowed: a list merges the few ranges that it asks for.
CREATE INDEX webhook_log_list ON webhook_log (webhook_id, event_type, status, created_at DESC, id DESC);
-- What a subscription's log says at a glance: its deliveries of the last day, the newest of each status, which also make the list of an account's deliveries,
-- and its newest acceptance. Each is a range of an index, whatever the length of the log.
CREATE INDEX webhook_log_newest ON webhook_log (webhook_id, status, created_at DESC, id DESC);
CREATE INDEX webhook_log_accepted ON webhook_log (webhook_id, finished_at) WHERE status = 'delivered';

-- An attempt whose end nobody knows.
CREATE FUNCTION interrupted_attempt(number integer, trigger text, started_at timestamptz) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('number', number, 'trigger', trigger, 'started_at', iso(started_at), 'status_code', NULL,
    'latency_ms', NULL, 'timings', NULL, 'response', NULL, 'error', jsonb_build_object('code', 'interrupted',
      'message', 'The worker stopped before it knew what the receiver answered'))
$$;

-- Every delivery as the API shows it, wherever it stands; while one is attempted, that attempt has neither status code nor error.
CREATE VIEW webhook_deliveries AS
  SELECT id, webhook_id, event_id, event_type, format, CASE WHEN worker IS NULL THEN 'pending' ELSE 'delivering' END AS status,
    NULL::text AS failure_reason, next_attempt_at,
    CASE WHEN worker IS NULL THEN attempts ELSE attempts || (interrupted_attempt(number, trigger, started_at) || '{"error": null}') END AS attempts,
    created_at, NULL::timestamptz AS finished_at
  FROM webhook_queue
  UNION ALL
  SELECT id, webhook_id, event_id, event_type, format, status, failure_reason, NULL, attempts, created_at, finished_at
  FROM webhook_log;

-- The three functions of a worker are planned once a session (`plan_cache_mode`). For so few rows a plan of their own seems cheaper each time, and making
-- it takes two thirds of the time of the statement.

-- What a worker does once a second: takes over from workers whose lease has run out, makes due what has waited for long enough, and finds the next
-- `most` webhooks after one for which something is due, by leaping through the index from one to the next. `next` is when the first of what still
-- waits is due. A row without a webhook comes when there is nothing else to say.
CREATE FUNCTION poll_webhook_queue(after text, most integer)
RETURNS TABLE (webhook text, account uuid, active boolean, next timestamptz) LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE dead uuid[]; soonest timestamptz;
BEGIN
  -- A lease that ends in a minute or later was given before the clock was set back; who lives renews his, and sends again what was under way.
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

-- Claims for each of these webhooks up to so many deliveries that are due, and numbers their attempts; `since` says where the last claim of this
-- worker ended: what a long-running transaction keeps from being vacuumed is not walked over again. A worker without a lease gets nothing. The commit
-- is not waited for: a claim that a crash of the database takes back costs a duplicate at most.
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

-- Moves accepted deliveries into the log, and ends the unbroken row of failures of their webhooks. The webhooks are held first, as by everybody who
-- changes more than one of these rows. The commit is not waited for either.
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

-- Deliveries of a subscription within the last 24 hours, by their state; and when one was accepted last. As functions: to the planner a list of
-- subscriptions then costs what its rows cost, whatever the log's statistics say, so that one generic plan serves all accounts.
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
