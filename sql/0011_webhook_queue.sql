-- What still has to be delivered stands in a small queue, what has ended in a log that is only appended to. So the cost of a claim depends neither on
-- the length of the log nor on how much merely waits for a later attempt, and claims are HOT updates.

-- The worker processes. A worker holds what it attempts for as long as its own lease, which it renews.
CREATE TABLE webhook_workers (
  id uuid PRIMARY KEY,
  leased_until timestamptz NOT NULL
) WITH (fillfactor = 10);

CREATE TABLE webhook_queue (
  id text PRIMARY KEY DEFAULT new_delivery_id(),
  webhook_id text NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  event_id text NOT NULL REFERENCES events ON DELETE CASCADE,
  event_type text NOT NULL,
  -- Its next attempt is still to come; what is due is found without looking at what waits.
  waiting boolean NOT NULL DEFAULT false,
  next_attempt_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Attempts begun. With the worker it names a claim: a worker that lost one can change nothing.
  number integer NOT NULL DEFAULT 0 CHECK (number >= 0),
  -- Known failures of this series, the place in the schedule; an attempt whose worker died is none, and a redelivery starts a new series.
  failures integer NOT NULL DEFAULT 0 CHECK (failures BETWEEN 0 AND 7),
  -- Who asked for the next attempt.
  trigger text NOT NULL DEFAULT 'automatic' CHECK (trigger IN ('automatic', 'manual')),
  -- Who attempts it now, and since when.
  worker uuid,
  started_at timestamptz,
  -- The attempts that have ended, as the API shows them.
  attempts jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (event_id, webhook_id),
  CHECK ((worker IS NULL) = (started_at IS NULL)),
  CHECK (NOT waiting OR worker IS NULL)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX webhook_queue_due ON webhook_queue (webhook_id, next_attempt_at) WHERE NOT waiting;
CREATE INDEX webhook_queue_waiting ON webhook_queue (next_attempt_at) WHERE waiting;
CREATE INDEX webhook_queue_list ON webhook_queue (webhook_id, event_type, created_at DESC, id DESC);

CREATE TABLE webhook_log (
  id text NOT NULL,
  webhook_id text NOT NULL,
  event_id text NOT NULL,
  event_type text NOT NULL,
  status text NOT NULL CHECK (status IN ('delivered', 'failed')),
  failure_reason text CHECK (failure_reason IN ('attempts_exhausted', 'webhook_deactivated')),
  attempts jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  finished_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((status = 'failed') = (failure_reason IS NOT NULL))
);

-- An attempt of which nobody knows what became.
CREATE FUNCTION interrupted_attempt(number integer, trigger text, started_at timestamptz) RETURNS jsonb
LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('number', number, 'trigger', trigger, 'started_at', iso(started_at), 'status_code', NULL,
    'latency_ms', NULL, 'timings', NULL, 'response', NULL, 'error', jsonb_build_object('code', 'interrupted',
      'message', 'The worker stopped before it knew what the receiver answered'))
$$;

-- What is stored stays: the attempts of a delivery move into its row.
CREATE TEMPORARY TABLE carried ON COMMIT DROP AS
  SELECT delivery_id, jsonb_agg(
    CASE WHEN status_code IS NULL AND error_code IS NULL THEN interrupted_attempt(number, trigger, started_at)
    ELSE jsonb_build_object('number', number, 'trigger', trigger, 'started_at', iso(started_at), 'status_code', status_code,
      'latency_ms', latency_ms,
      'timings', timings::jsonb || '{"body_ms": null, "reused": false}',
      'error', CASE WHEN error_code IS NOT NULL
        THEN jsonb_build_object('code', error_code, 'message', error_message) END,
      'response', CASE WHEN response_body IS NOT NULL
        THEN jsonb_build_object('body', response_body, 'truncated', response_truncated) END) END
    ORDER BY number) AS attempts
  FROM webhook_attempts GROUP BY delivery_id;
ANALYZE carried;

INSERT INTO webhook_log (id, webhook_id, event_id, event_type, status, failure_reason, attempts, created_at, finished_at)
  SELECT id, webhook_id, event_id, event_type, status, failure_reason, coalesce(carried.attempts, '[]'), created_at, finished_at
  FROM webhook_deliveries LEFT JOIN carried ON delivery_id = id WHERE status IN ('delivered', 'failed');

INSERT INTO webhook_queue (id, webhook_id, event_id, event_type, waiting, next_attempt_at, number, failures, trigger, attempts, created_at)
  SELECT id, webhook_id, event_id, event_type, status = 'pending' AND next_attempt_at > clock_timestamp(), next_attempt_at,
    d.attempts, failures, trigger, coalesce(carried.attempts, '[]'), created_at
  FROM webhook_deliveries d LEFT JOIN carried ON delivery_id = id WHERE status IN ('pending', 'delivering');

ALTER TABLE webhook_log ADD PRIMARY KEY (id), ADD UNIQUE (event_id, webhook_id),
  ADD FOREIGN KEY (webhook_id) REFERENCES webhooks ON DELETE CASCADE,
  ADD FOREIGN KEY (event_id) REFERENCES events ON DELETE CASCADE;
-- One index for the log whole and narrowed: a list merges the few ranges that it asks for.
CREATE INDEX webhook_log_list ON webhook_log (webhook_id, event_type, status, created_at DESC, id DESC);

DROP FUNCTION claim_webhook_deliveries(integer, boolean, integer, integer);
DROP VIEW webhook_queues;
DROP TABLE webhook_attempts, webhook_deliveries;

-- Every delivery as the API shows it, wherever it stands; while one is attempted, that attempt has neither status code nor error.
CREATE VIEW webhook_deliveries AS
  SELECT id, webhook_id, event_id, event_type, CASE WHEN worker IS NULL THEN 'pending' ELSE 'delivering' END AS status,
    NULL::text AS failure_reason, next_attempt_at,
    CASE WHEN worker IS NULL THEN attempts
      ELSE attempts || (interrupted_attempt(number, trigger, started_at) || '{"error": null}') END AS attempts,
    created_at, NULL::timestamptz AS finished_at
  FROM webhook_queue
  UNION ALL
  SELECT id, webhook_id, event_id, event_type, status, failure_reason, NULL, attempts, created_at, finished_at
  FROM webhook_log;

-- What a worker does once a second: takes over from workers whose lease has run out, makes due what has waited for long enough, and finds the next
-- `most` webhooks after one for which something is due, by leaping through the index from one to the next. `next` is when the first of what still
-- waits is due. A row without a webhook comes when there is nothing else to tell.
CREATE FUNCTION poll_webhook_queue(after text, most integer)
RETURNS TABLE (webhook text, account uuid, active boolean, next timestamptz) LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  dead uuid[];
  soonest timestamptz;
BEGIN
  WITH gone AS (DELETE FROM webhook_workers WHERE leased_until < clock_timestamp() RETURNING id)
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
    SELECT (SELECT q.webhook_id FROM webhook_queue q
            WHERE NOT q.waiting AND q.webhook_id > turns.webhook_id ORDER BY q.webhook_id LIMIT 1), place + 1
    FROM turns WHERE turns.webhook_id IS NOT NULL AND place < most
  )
  SELECT w.id, w.account_id, w.is_active, soonest FROM turns JOIN webhooks w ON w.id = turns.webhook_id;
  IF NOT FOUND THEN RETURN QUERY SELECT NULL::text, NULL::uuid, NULL::boolean, soonest; END IF;
END $$;

-- Claims for each of these webhooks up to so many deliveries that are due, and numbers their attempts; `since` tells where the last claim of this
-- worker ended: what a long-running transaction keeps from being vacuumed is not walked over again. A worker without a lease gets nothing. The commit
-- is not waited for: a claim that a crash of the database takes back costs a duplicate at most.
CREATE FUNCTION claim_webhook_deliveries(claimer uuid, asked text[], counts integer[], since timestamptz[])
RETURNS TABLE (
  id text, webhook_id text, number integer, failing boolean, url text, secret text, previous_secret text,
  event_id text, event_type text, body text, trigger text, started_at text, due_at text, waited_ms double precision
) LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET jit = off AS $$
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
        WHERE q.webhook_id = turn.webhook AND NOT q.waiting AND q.worker IS NULL
          AND q.next_attempt_at >= turn.since - interval '5 seconds'
        ORDER BY q.next_attempt_at LIMIT turn.count FOR UPDATE SKIP LOCKED
      ) AS first
  ), claimed AS (
    UPDATE webhook_queue q SET worker = claimer, number = q.number + 1, started_at = clock_timestamp()
    FROM due WHERE q.id = due.id RETURNING q.*
  )
  SELECT c.id, c.webhook_id, c.number, w.failing_since IS NOT NULL, w.url, w.secret,
    CASE WHEN w.previous_secret_expires_at > clock_timestamp() THEN w.previous_secret END,
    c.event_id, c.event_type, e.body, c.trigger, iso(c.started_at), iso(c.next_attempt_at),
    (extract(epoch FROM c.started_at - c.next_attempt_at) * 1000)::float8
  FROM claimed c JOIN webhooks w ON w.id = c.webhook_id JOIN events e ON e.id = c.event_id;
END $$;

-- Moves accepted deliveries into the log, and ends the unbroken row of failures of their webhooks. The webhooks are held first, as by everybody who
-- changes more than one of these rows. The commit is not waited for either.
CREATE FUNCTION accept_webhook_deliveries(claimer uuid, of_webhooks text[], ids text[], numbers integer[], ended text[])
RETURNS void LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET jit = off AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM FROM webhooks WHERE id = ANY (of_webhooks) ORDER BY id FOR KEY SHARE;
  WITH accepted AS (
    DELETE FROM webhook_queue q USING unnest(ids, numbers, ended) AS told (id, number, attempt)
    WHERE q.id = told.id AND q.worker = claimer AND q.number = told.number RETURNING q.*, told.attempt
  )
  INSERT INTO webhook_log (id, webhook_id, event_id, event_type, status, attempts, created_at)
    SELECT id, webhook_id, event_id, event_type, 'delivered', attempts || attempt::jsonb, created_at FROM accepted;
  PERFORM FROM webhooks WHERE id = ANY (of_webhooks) AND failing_since IS NOT NULL ORDER BY id FOR NO KEY UPDATE;
  IF FOUND THEN
    UPDATE webhooks SET failing_since = NULL WHERE id = ANY (of_webhooks) AND failing_since IS NOT NULL;
  END IF;
END $$;
