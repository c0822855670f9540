-- What each plan allows; all limits of the API are read from here.
CREATE TABLE plans (
  id text PRIMARY KEY,
  requests_per_minute integer NOT NULL CHECK (requests_per_minute BETWEEN 1 AND 600),
  requests_per_second integer NOT NULL CHECK (requests_per_second BETWEEN 1 AND 600),
  runs_per_hour integer NOT NULL, runs_at_once integer NOT NULL, pages_per_run integer NOT NULL,
  -- Usable keys of an account, of which an operator's command may make more; pages of others that it may look at on one day, by UTC.
  keys integer NOT NULL, looks_per_day integer NOT NULL CHECK (looks_per_day >= 0)
);
INSERT INTO plans VALUES
  ('free', 60, 10, 5, 1, 25, 5, 200),
  ('starter', 60, 10, 20, 2, 50, 10, 500),
  ('growth_pro', 120, 20, 20, 2, 50, 25, 2000),
  ('agency_team', 600, 50, 20, 2, 50, 100, 20000);

CREATE TABLE accounts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL CHECK (name <> ''),
  plan text NOT NULL REFERENCES plans,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- A key without an account authenticates nobody (auth_unavailable); it stays to say so.
CREATE TABLE api_keys (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid REFERENCES accounts ON DELETE SET NULL,
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  display text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_used_at timestamptz, revoked_at timestamptz,
  -- Accepted requests so far: the next one takes slot `accepted % 600` of the ring below.
  accepted bigint NOT NULL DEFAULT 0,
  -- Where the last check found the start of the window: the next one looks there first.
  window_from bigint NOT NULL DEFAULT 0,
  name text CHECK (name <> ''),
  -- A rotated key stays valid until then, beside the key that replaces it.
  expires_at timestamptz,
  -- Who made the key: an operator's command, the link to a session of the console, or another key.
  origin text NOT NULL DEFAULT 'operator' CHECK (origin IN ('operator', 'session', 'api')),
  -- When another key took its place.
  rotated_at timestamptz
) WITH (fillfactor = 50);
CREATE INDEX api_keys_account ON api_keys (account_id, created_at);

-- When the last 600 accepted requests of a key were let in, as a ring: request n may pass when request n - limit is older than the window.
CREATE TABLE api_key_passes (
  key_id uuid NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  slot smallint NOT NULL CHECK (slot BETWEEN 0 AND 599),
  at timestamptz NOT NULL,
  PRIMARY KEY (key_id, slot)
) WITH (fillfactor = 50);

-- One round trip: finds the key, and lets the request pass or not in the sliding window of 60 s and in the burst window of 1 s of its plan.
-- Rejected requests leave no trace. `wait` is the time after which a request would pass; `reset` that until the window's oldest request leaves it. The
-- cost does not grow with the requests of the last minute: the ring is read where it matters, not aggregated.
CREATE FUNCTION check_rate_limit(key_hash bytea) RETURNS TABLE (
  key_id uuid, account_id uuid, scopes text[], revoked boolean,
  window_limit integer, remaining integer, reset_seconds integer, wait_seconds integer
) LANGUAGE plpgsql AS $$
DECLARE
  key record; edge record; now_at timestamptz; window_start timestamptz; early bigint; late bigint;
  middle bigint; step bigint := 1; oldest timestamptz; found_at timestamptz; setback interval;
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
  now_at := clock_timestamp(); window_start := now_at - interval '60 seconds';
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
    edge.minute_gate := edge.minute_gate - setback; edge.burst_gate := edge.burst_gate - setback;
  END IF;
  IF greatest(edge.minute_gate, edge.burst_gate) > now_at THEN
    wait_seconds := ceil(extract(epoch FROM greatest(edge.minute_gate, edge.burst_gate) - now_at));
    window_limit := CASE WHEN edge.minute_gate > now_at THEN key.per_minute ELSE key.per_second END;
    remaining := 0; reset_seconds := wait_seconds; RETURN NEXT; RETURN;
  END IF;
  -- The ring is in the order of time. The first request within the window lies in early … late (the one to come, when there is none); it is looked
  -- for from where it was last, in steps that double, and by halving where a step leads out of bounds.
  early := greatest(key.accepted - 600, 0); late := key.accepted; middle := key.window_from;
  WHILE early < late LOOP
    IF middle < early OR middle >= late THEN middle := (early + late) / 2; END IF;
    SELECT p.at INTO found_at FROM api_key_passes p WHERE p.key_id = key.id AND p.slot = middle % 600;
    IF found_at > window_start THEN late := middle; oldest := found_at; middle := middle - step;
    ELSE early := middle + 1; middle := middle + step; END IF;
    step := step * 2;
  END LOOP;
  INSERT INTO api_key_passes AS p VALUES (key.id, key.accepted % 600, now_at) ON CONFLICT ON CONSTRAINT api_key_passes_pkey DO UPDATE SET at = excluded.at;
  UPDATE api_keys k SET accepted = k.accepted + 1, window_from = late,
    last_used_at = CASE WHEN key.last_used_at BETWEEN now_at - interval '1 minute' AND now_at THEN key.last_used_at ELSE now_at END
    WHERE k.id = key.id;
  window_limit := key.per_minute;
  remaining := greatest(key.per_minute - (key.accepted - late)::integer - 1, 0);
  reset_seconds := greatest(1, ceil(extract(epoch FROM coalesce(oldest + interval '60 seconds', now_at + interval '60 seconds') - now_at)));
  RETURN NEXT;
END $$;

-- A code in a link to the console: whoever opens the link first gets a key with these scopes, for this long. Only its hash is stored.
CREATE TABLE console_codes (
  hash bytea PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  scopes text[] NOT NULL,
  lasts interval NOT NULL,
  expires_at timestamptz NOT NULL
);
