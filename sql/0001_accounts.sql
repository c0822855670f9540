-- How every timestamp of ours looks on the wire: ISO 8601 with microseconds and the UTC offset.
CREATE FUNCTION iso(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
  $$ SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') $$;

-- What each plan allows; all limits of the API are read from here.
CREATE TABLE plans (
  id text PRIMARY KEY,
  requests_per_minute integer NOT NULL CHECK (requests_per_minute BETWEEN 1 AND 600),
  requests_per_second integer NOT NULL CHECK (requests_per_second BETWEEN 1 AND 600),
  runs_per_hour integer NOT NULL,
  runs_at_once integer NOT NULL,
  pages_per_run integer NOT NULL
);
INSERT INTO plans VALUES
  ('free', 60, 10, 5, 1, 25),
  ('starter', 60, 10, 20, 2, 50),
  ('growth_pro', 120, 20, 20, 2, 50),
  ('agency_team', 600, 50, 20, 2, 50);

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
  last_used_at timestamptz,
  revoked_at timestamptz,
  -- Accepted requests so far: the next one takes slot `accepted % 600` of the ring below.
  accepted bigint NOT NULL DEFAULT 0
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
-- Rejected requests leave no trace. `wait` is the time after which a request would pass; `reset` that until the window's oldest pass leaves it.
CREATE FUNCTION pass_request(key_hash bytea) RETURNS TABLE (
  key_id uuid, account_id uuid, scopes text[], revoked boolean,
  window_limit integer, remaining integer, reset_seconds integer, wait_seconds integer
) LANGUAGE plpgsql AS $$
DECLARE
  key api_keys;
  minute_limit integer;
  burst_limit integer;
  now_at timestamptz;
  minute_gate timestamptz;
  burst_gate timestamptz;
  used integer;
  oldest timestamptz;
BEGIN
  -- A pass lost with a crashed server is worth less than a flush to disk for each request.
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT * INTO key FROM api_keys WHERE hash = key_hash FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT p.requests_per_minute, p.requests_per_second INTO minute_limit, burst_limit
    FROM accounts a JOIN plans p ON p.id = a.plan WHERE a.id = key.account_id;
  key_id := key.id; account_id := key.account_id; scopes := key.scopes; revoked := key.revoked_at IS NOT NULL;
  IF revoked OR minute_limit IS NULL THEN RETURN NEXT; RETURN; END IF;

  -- After the row lock, so that passes of one key are in order; never before the last pass, should the clock be set back.
  SELECT greatest(clock_timestamp(), max(p.at)) INTO now_at FROM api_key_passes p
    WHERE p.key_id = key.id AND p.slot = (key.accepted + 599) % 600;
  SELECT p.at + interval '60 seconds' INTO minute_gate FROM api_key_passes p
    WHERE p.key_id = key.id AND key.accepted >= minute_limit AND p.slot = (key.accepted - minute_limit + 600) % 600;
  SELECT p.at + interval '1 second' INTO burst_gate FROM api_key_passes p
    WHERE p.key_id = key.id AND key.accepted >= burst_limit AND p.slot = (key.accepted - burst_limit + 600) % 600;

  IF greatest(minute_gate, burst_gate) > now_at THEN
    wait_seconds := ceil(extract(epoch FROM greatest(minute_gate, burst_gate) - now_at));
    window_limit := CASE WHEN minute_gate > now_at THEN minute_limit ELSE burst_limit END;
    remaining := 0;
    reset_seconds := wait_seconds;
    RETURN NEXT; RETURN;
  END IF;

  INSERT INTO api_key_passes AS p VALUES (key.id, key.accepted % 600, now_at)
    ON CONFLICT ON CONSTRAINT api_key_passes_pkey DO UPDATE SET at = excluded.at;
  UPDATE api_keys k SET accepted = k.accepted + 1,
    last_used_at = CASE WHEN k.last_used_at > now_at - interval '1 minute' THEN k.last_used_at ELSE now_at END
    WHERE k.id = key.id;
  SELECT count(*), min(p.at) INTO used, oldest FROM api_key_passes p
    WHERE p.key_id = key.id AND p.at > now_at - interval '60 seconds';
  window_limit := minute_limit;
  remaining := greatest(minute_limit - used, 0);
  reset_seconds := greatest(1, ceil(extract(epoch FROM oldest + interval '60 seconds' - now_at)));
  RETURN NEXT;
END $$;

-- What is one for the whole installation. The cursor key only has to be unguessable: two random UUIDs are 244 bits.
CREATE TABLE installation (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  cursor_key bytea NOT NULL
);
INSERT INTO installation (cursor_key)
  SELECT sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));
