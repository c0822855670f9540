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
  revoked_at timestamptz,
  name text CHECK (name <> ''),
  -- A rotated key stays valid until then, beside the key that replaces it.
  expires_at timestamptz,
  -- Who made the key: an operator's command, the link to a session of the console, or another key.
  origin text NOT NULL DEFAULT 'operator' CHECK (origin IN ('operator', 'session', 'api')),
  -- When another key took its place.
  rotated_at timestamptz
);
CREATE INDEX api_keys_account ON api_keys (account_id, created_at);

-- When the requests of a key were let in that its windows still hold, the last one at least, in the order of time. A table of its own: only checks lock its
-- rows, so that no check waits for a transaction that changes keys. Each key has a row from its first moment.
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

-- Looks up the keys of many requests in one statement, and lets each request pass or not in the sliding window of 60 s and in the burst window of 1 s of its key's
-- plan. A key that is named n times asks for n requests, of which the first `let_in` pass; the numbers are those after the last of them, `reset_seconds` the time
-- until the oldest request leaves the window, `wait_seconds` that until the next one would pass, and `wait_limit` the limit that refuses it. Refused requests
-- leave no trace. Unknown keys bring no row.
CREATE FUNCTION check_rate_limits(hashes bytea[]) RETURNS TABLE (
  hash bytea, key_id uuid, account_id uuid, scopes text[], revoked boolean,
  let_in integer, window_limit integer, remaining integer, reset_seconds integer, wait_limit integer, wait_seconds integer
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  k record;
  now_at timestamptz;
  -- The requests that the long window holds, in the order of time.
  inside timestamptz[];
  total integer;
  minute_gate timestamptz;
  burst_gate timestamptz;
BEGIN
  -- A request lost with a crashed server is worth less than a flush to disk for each batch.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Rows are locked in one order in all statements, so that none waits for one that waits for it.
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
      -- The time is read after the lock of the row, so that requests of one key are in order.
      now_at := clock_timestamp();
      inside := k.passes;
      IF k.latest > now_at THEN
        -- The clock was set back: all that the windows know moves with it, as if no time had passed since the last request.
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

-- A code in a link to the console: whoever opens the link first gets a key with these scopes, for this long. Only its hash is stored.
CREATE TABLE console_codes (
  hash bytea PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  scopes text[] NOT NULL,
  lasts interval NOT NULL,
  expires_at timestamptz NOT NULL
);
