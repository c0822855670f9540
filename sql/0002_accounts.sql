-- The limits of each plan; the API reads all limits here.
CREATE TABLE plans (
  id text PRIMARY KEY,
  requests_per_minute integer NOT NULL CHECK (requests_per_minute BETWEEN 1 AND 600),
  requests_per_second integer NOT NULL CHECK (requests_per_second BETWEEN 1 AND 600),
  runs_per_hour integer NOT NULL, runs_at_once integer NOT NULL, pages_per_run integer NOT NULL,
  -- The most usable keys of an account (an administrator's command may create more); the most backlink pages that it may check on one UTC day.
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

-- A key without an account authenticates nobody; it stays for the error auth_unavailable.
CREATE TABLE api_keys (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid REFERENCES accounts ON DELETE SET NULL,
  hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  display text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('live', 'test')),
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  revoked_at timestamptz,
  name text CHECK (name <> ''),
  -- The end of the key; a rotated key stays valid until then, beside its replacement.
  expires_at timestamptz,
  -- The creator of the key: an administrator's command, the link to a session of the console, or another key.
  origin text NOT NULL DEFAULT 'operator' CHECK (origin IN ('operator', 'session', 'api')),
  -- When another key replaced it.
  rotated_at timestamptz
);
CREATE INDEX api_keys_account ON api_keys (account_id, created_at);

-- Times of a key's admitted requests within its windows, at least the last one, in order. Only checks lock rows of this separate table, so no check waits for a
-- transaction that changes keys. Each key has a row from its creation.
CREATE TABLE api_key_passes (
  key_id uuid PRIMARY KEY REFERENCES api_keys ON DELETE CASCADE,
  passes timestamptz[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50);
-- Times do not compress, and 600 of them fit into a page.
ALTER TABLE api_key_passes ALTER passes SET STORAGE PLAIN;

CREATE FUNCTION add_api_key_passes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO api_key_passes (key_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER api_key_passes AFTER INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION add_api_key_passes();

-- Looks up the keys of many requests in one statement, and admits or refuses each request by the sliding window of 60 s and the burst window of 1 s of its
-- key's plan. A key that is listed n times has n requests, and the first `let_in` pass. The numbers are the state after the last of these: `reset_seconds`
-- until the oldest request leaves the window, `wait_seconds` until the next one would pass, and `wait_limit`, the limit that refuses it. Refused requests are
-- not recorded. Unknown keys return no row.
CREATE FUNCTION check_rate_limits(hashes bytea[]) RETURNS TABLE (
  hash bytea, key_id uuid, account_id uuid, scopes text[], revoked boolean,
  let_in integer, window_limit integer, remaining integer, reset_seconds integer, wait_limit integer, wait_seconds integer
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  k record;
  now_at timestamptz;
  -- The requests in the long window, in order.
  inside timestamptz[];
  total integer;
  minute_gate timestamptz;
  burst_gate timestamptz;
BEGIN
  -- A flush to disk for each batch would cost more than a lost request after a crash of the server.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- All statements lock rows in one order, which prevents deadlocks.
  FOR k IN
    SELECT key.*, account.id AS account, key.revoked_at IS NOT NULL OR coalesce(key.expires_at <= clock_timestamp(), false) AS is_revoked, wanted,
      passes, passes[cardinality(passes)] AS latest, requests_per_minute AS per_minute, requests_per_second AS per_second
    FROM (SELECT named AS hash, count(*)::integer AS wanted FROM unnest(hashes) AS named GROUP BY named) AS asked
    JOIN api_keys key USING (hash) JOIN api_key_passes held ON held.key_id = key.id
    LEFT JOIN accounts account ON account.id = key.account_id LEFT JOIN plans ON plans.id = account.plan
    ORDER BY key.id FOR NO KEY UPDATE OF held
  LOOP
    hash := k.hash; key_id := k.id; account_id := k.account; scopes := k.scopes; revoked := k.is_revoked;
    let_in := 0; window_limit := NULL; remaining := NULL; reset_seconds := NULL; wait_limit := NULL; wait_seconds := NULL;
    IF NOT k.is_revoked AND k.account IS NOT NULL THEN
      -- The time is read after the row is locked, so requests of one key are in order.
      now_at := clock_timestamp();
      inside := k.passes;
      IF k.latest > now_at THEN
        -- The clock was set back: the times in the windows move with it, as if no time had passed since the last request.
        inside := ARRAY(SELECT at - (k.latest - now_at) FROM unnest(k.passes) WITH ORDINALITY AS pass (at, nth) ORDER BY nth);
      END IF;
      inside := inside[width_bucket(now_at - interval '60 seconds', inside) + 1:];
      total := cardinality(inside);
      let_in := greatest(0, least(k.wanted, k.per_minute - total, k.per_second - total + width_bucket(now_at - interval '1 second', inside)));
      IF let_in > 0 OR k.latest > now_at THEN
        total := total + let_in;
        inside := inside || array_fill(now_at, ARRAY[let_in]);
        UPDATE api_key_passes SET passes = inside WHERE key_id = k.id;
      END IF;
      window_limit := k.per_minute;
      remaining := greatest(k.per_minute - total, 0);
      reset_seconds := greatest(1, ceil(extract(epoch FROM inside[1] + interval '60 seconds' - now_at)));
      IF let_in < k.wanted THEN
        minute_gate := CASE WHEN total >= k.per_minute THEN inside[total - k.per_minute + 1] + interval '60 seconds' END;
        burst_gate := CASE WHEN total >= k.per_second THEN inside[total - k.per_second + 1] + interval '1 second' END;
        wait_limit := CASE WHEN minute_gate > now_at THEN k.per_minute ELSE k.per_second END;
        wait_seconds := ceil(extract(epoch FROM greatest(minute_gate, burst_gate) - now_at));
      END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

-- A code in a link to the console: the first person who opens the link gets a key with these scopes, for this long. Only the code's hash is stored.
CREATE TABLE console_codes (
  hash bytea PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  scopes text[] NOT NULL,
  lasts interval NOT NULL,
  expires_at timestamptz NOT NULL
);
