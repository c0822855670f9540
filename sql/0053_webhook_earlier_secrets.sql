-- A secret that was replaced signs for its own 24 hours, also when its successor is replaced meanwhile: three secrets sign at most.
ALTER TABLE webhooks
  ADD COLUMN earlier_secret text CHECK (earlier_secret LIKE 'v1.%'),
  ADD COLUMN earlier_secret_expires_at timestamptz,
  ADD CHECK ((earlier_secret IS NULL) = (earlier_secret_expires_at IS NULL));

-- As in 0011 and 0042, with the earlier secret. Nodes of the release before ask for the columns that they know.
DROP FUNCTION claim_webhook_deliveries(uuid, text[], integer[], timestamptz[]);
CREATE FUNCTION claim_webhook_deliveries(claimer uuid, asked text[], counts integer[], since timestamptz[])
RETURNS TABLE (
  id text, webhook_id text, number integer, failing boolean, url text, secret text, previous_secret text, earlier_secret text,
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
    CASE WHEN w.earlier_secret_expires_at > clock_timestamp() THEN w.earlier_secret END,
    c.event_id, c.event_type, e.body, c.trigger, iso(c.started_at), iso(c.next_attempt_at),
    (extract(epoch FROM c.started_at - c.next_attempt_at) * 1000)::float8
  FROM claimed c JOIN webhooks w ON w.id = c.webhook_id JOIN events e ON e.id = c.event_id;
END $$;
