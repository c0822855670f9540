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
  key record;
  passes record;
  now_at timestamptz;
BEGIN
  SELECT k.id, a.id AS account, k.scopes, k.revoked_at, k.accepted, k.last_used_at, p.requests_per_minute AS per_minute,
      p.requests_per_second AS per_second,
      -- A pass lost with a crashed server is worth less than a flush to disk for each request.
      set_config('synchronous_commit', 'off', true)
    INTO key FROM api_keys k LEFT JOIN accounts a ON a.id = k.account_id LEFT JOIN plans p ON p.id = a.plan
    WHERE k.hash = key_hash FOR NO KEY UPDATE OF k;
  IF NOT FOUND THEN RETURN; END IF;
  key_id := key.id; account_id := key.account; scopes := key.scopes; revoked := key.revoked_at IS NOT NULL;
  IF revoked OR key.account IS NULL THEN RETURN NEXT; RETURN; END IF;

  -- After the row lock, so that passes of one key are in order.
  now_at := clock_timestamp();
  SELECT max(p.at) AS last,
      max(p.at) FILTER (WHERE key.accepted >= key.per_minute AND p.slot = (key.accepted - key.per_minute + 600) % 600)
        + interval '60 seconds' AS minute_gate,
      max(p.at) FILTER (WHERE key.accepted >= key.per_second AND p.slot = (key.accepted - key.per_second + 600) % 600)
        + interval '1 second' AS burst_gate,
      count(*) FILTER (WHERE p.at > now_at - interval '60 seconds')::integer AS used,
      min(p.at) FILTER (WHERE p.at > now_at - interval '60 seconds') + interval '60 seconds' AS leaves
    INTO passes FROM api_key_passes p WHERE p.key_id = key.id;
  -- Never before the last pass, should the clock have been set back.
  now_at := greatest(now_at, passes.last);

  IF greatest(passes.minute_gate, passes.burst_gate) > now_at THEN
    wait_seconds := ceil(extract(epoch FROM greatest(passes.minute_gate, passes.burst_gate) - now_at));
    window_limit := CASE WHEN passes.minute_gate > now_at THEN key.per_minute ELSE key.per_second END;
    remaining := 0;
    reset_seconds := wait_seconds;
    RETURN NEXT; RETURN;
  END IF;

  INSERT INTO api_key_passes AS p VALUES (key.id, key.accepted % 600, now_at)
    ON CONFLICT ON CONSTRAINT api_key_passes_pkey DO UPDATE SET at = excluded.at;
  UPDATE api_keys k SET accepted = k.accepted + 1,
    last_used_at = CASE WHEN key.last_used_at > now_at - interval '1 minute' THEN key.last_used_at ELSE now_at END
    WHERE k.id = key.id;
  window_limit := key.per_minute;
  remaining := greatest(key.per_minute - passes.used - 1, 0);
  reset_seconds := greatest(1, ceil(extract(epoch FROM coalesce(passes.leaves, now_at + interval '60 seconds') - now_at)));
  RETURN NEXT;
END $$;

-- What is one for the whole installation. The cursor key only has to be unguessable: two random UUIDs are 244 bits.
CREATE TABLE installation (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  cursor_key bytea NOT NULL
);
INSERT INTO installation (cursor_key)
  SELECT sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));
