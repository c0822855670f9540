-- What becomes of the deliveries to a subscription, as functions: to the planner a list of subscriptions then costs what its rows cost, whatever the log's
-- statistics say, so that one generic plan serves all accounts.

-- Deliveries of the last 24 hours, by what became of them.
CREATE FUNCTION webhook_last_day(webhook text) RETURNS json STABLE LANGUAGE sql AS $$
  SELECT json_build_object(
    'delivered', (SELECT count(*)::int FROM webhook_log l
      WHERE l.webhook_id = webhook AND l.status = 'delivered' AND l.created_at > statement_timestamp() - interval '24 hours'),
    'failed', (SELECT count(*)::int FROM webhook_log l
      WHERE l.webhook_id = webhook AND l.status = 'failed' AND l.created_at > statement_timestamp() - interval '24 hours'),
    'pending', (SELECT count(*)::int FROM webhook_queue q
      WHERE q.webhook_id = webhook AND q.created_at > statement_timestamp() - interval '24 hours'))
$$;

-- When a delivery to it was accepted last.
CREATE FUNCTION webhook_last_success(webhook text) RETURNS timestamptz STABLE LANGUAGE sql AS $$
  SELECT max(l.finished_at) FROM webhook_log l WHERE l.webhook_id = webhook AND l.status = 'delivered'
$$;
