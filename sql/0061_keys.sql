-- Keys have a name, and end at a time where one is set; a rotated key stays valid for the overlap with the key that replaces it.
ALTER TABLE api_keys ADD COLUMN name text CHECK (name <> ''), ADD COLUMN expires_at timestamptz;

-- As in 0036, but a key that has expired is refused as a revoked one is.
CREATE OR REPLACE FUNCTION check_rate_limit(key_hash bytea) RETURNS TABLE (
  key_id uuid, account_id uuid, scopes text[], revoked boolean,
  window_limit integer, remaining integer, reset_seconds integer, wait_seconds integer
) LANGUAGE plpgsql AS $$
DECLARE
  key record;
  edge record;
  now_at timestamptz;
  window_start timestamptz;
  early bigint;
  late bigint;
  middle bigint;
  step bigint := 1;
  oldest timestamptz;
  found_at timestamptz;
  setback interval;
BEGIN
  SELECT k.id, a.id AS account, k.scopes, k.revoked_at, k.expires_at, k.accepted, k.window_from, k.last_used_at, p.requests_per_minute AS per_minute,
      p.requests_per_second AS per_second,
      -- A request lost with a crashed server is worth less than a flush to disk for each request.
      set_config('synchronous_commit', 'off', true)
    INTO key FROM api_keys k LEFT JOIN accounts a ON a.id = k.account_id LEFT JOIN plans p ON p.id = a.plan
    WHERE k.hash = key_hash FOR NO KEY UPDATE OF k;
  IF NOT FOUND THEN RETURN; END IF;
  key_id := key.id; account_id := key.account; scopes := key.scopes; revoked := key.revoked_at IS NOT NULL OR coalesce(key.expires_at <= clock_timestamp(), false);
  IF revoked OR key.account IS NULL THEN RETURN NEXT; RETURN; END IF;

  -- After the row lock, so that requests of one key are in order.
  now_at := clock_timestamp();
  window_start := now_at - interval '60 seconds';
  SELECT (SELECT p.at FROM api_key_passes p WHERE p.key_id = key.id AND p.slot = (key.accepted + 599) % 600) AS last,
      (SELECT p.at + interval '60 seconds' FROM api_key_passes p WHERE p.key_id = key.id
        AND key.accepted >= key.per_minute AND p.slot = (key.accepted - key.per_minute + 600) % 600) AS minute_gate,
      (SELECT p.at + interval '1 second' FROM api_key_passes p WHERE p.key_id = key.id
        AND key.accepted >= key.per_second AND p.slot = (key.accepted - key.per_second + 600) % 600) AS burst_gate
    INTO edge;
  -- The clock was set back: all that the ring knows moves with it, as if no time had passed since the last request.
  IF edge.last > now_at THEN
    setback := edge.last - now_at;
    UPDATE api_key_passes p SET at = p.at - setback WHERE p.key_id = key.id;
    edge.minute_gate := edge.minute_gate - setback;
    edge.burst_gate := edge.burst_gate - setback;
  END IF;

  IF greatest(edge.minute_gate, edge.burst_gate) > now_at THEN
    wait_seconds := ceil(extract(epoch FROM greatest(edge.minute_gate, edge.burst_gate) - now_at));
    window_limit := CASE WHEN edge.minute_gate > now_at THEN key.per_minute ELSE key.per_second END;
    remaining := 0;
    reset_seconds := wait_seconds;
    RETURN NEXT; RETURN;
  END IF;

  -- The ring is in the order of time. The first request within the window lies in early … late (the one to come, when there is none); it is looked
  -- for from where it was last, in steps that double, and by halving where a step leads out of bounds.
  early := greatest(key.accepted - 600, 0);
  late := key.accepted;
  middle := key.window_from;
  WHILE early < late LOOP
    IF middle < early OR middle >= late THEN middle := (early + late) / 2; END IF;
    SELECT p.at INTO found_at FROM api_key_passes p WHERE p.key_id = key.id AND p.slot = middle % 600;
    IF found_at > window_start THEN
      late := middle; oldest := found_at; middle := middle - step;
    ELSE
      early := middle + 1; middle := middle + step;
    END IF;
    step := step * 2;
  END LOOP;

  INSERT INTO api_key_passes AS p VALUES (key.id, key.accepted % 600, now_at)
    ON CONFLICT ON CONSTRAINT api_key_passes_pkey DO UPDATE SET at = excluded.at;
  UPDATE api_keys k SET accepted = k.accepted + 1, window_from = late,
    last_used_at = CASE WHEN key.last_used_at BETWEEN now_at - interval '1 minute' AND now_at THEN key.last_used_at ELSE now_at END
    WHERE k.id = key.id;
  window_limit := key.per_minute;
  remaining := greatest(key.per_minute - (key.accepted - late)::integer - 1, 0);
  reset_seconds := greatest(1, ceil(extract(epoch FROM coalesce(oldest + interval '60 seconds', now_at + interval '60 seconds') - now_at)));
  RETURN NEXT;
END $$;
