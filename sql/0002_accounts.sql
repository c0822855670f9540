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
-- rows, so that no check waits for a transaction that changes keys.
CREATE TABLE api_key_passes (
  key_id uuid PRIMARY KEY REFERENCES api_keys ON DELETE CASCADE,
  passes timestamptz[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50);
-- Times do not compress, and 600 of them fit into a page.
ALTER TABLE api_key_passes ALTER passes SET STORAGE PLAIN;

-- Looks up the keys of many requests in one statement, and lets each request pass or not in the sliding window of 60 s and in the burst window of 1 s of its key's
-- plan. A key that is named n times asks for n requests, of which the first `let_in` pass; the numbers are those after the last of them, `wait_seconds` is the
-- time after which the next one would pass, `reset_seconds` that until the oldest request leaves the window. Refused requests leave no trace. Unknown
-- keys bring no row.
CREATE FUNCTION check_rate_limits(hashes bytea[]) RETURNS TABLE (
  hash bytea, key_id uuid, account_id uuid, scopes text[], revoked boolean,
  let_in integer, window_limit integer, remaining integer, reset_seconds integer, wait_limit integer, wait_seconds integer
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  -- A request lost with a crashed server is worth less than a flush to disk for each batch.
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO api_key_passes (key_id) SELECT k.id FROM api_keys k
    WHERE k.hash = ANY(hashes) AND NOT EXISTS (SELECT FROM api_key_passes p WHERE p.key_id = k.id) ON CONFLICT DO NOTHING;
  RETURN QUERY
  WITH asked AS (SELECT named AS hash, count(*)::integer AS wanted FROM unnest(hashes) AS named GROUP BY named),
  known AS MATERIALIZED (
    SELECT k.hash, k.id, a.id AS account, k.scopes, k.revoked_at IS NOT NULL OR coalesce(k.expires_at <= clock_timestamp(), false) AS revoked,
      asked.wanted, p.requests_per_minute AS per_minute, p.requests_per_second AS per_second
    FROM asked JOIN api_keys k USING (hash) LEFT JOIN accounts a ON a.id = k.account_id LEFT JOIN plans p ON p.id = a.plan),
  -- In one order in all statements, so that none waits for one that waits for it.
  locked AS MATERIALIZED (
    SELECT p.key_id AS id, p.passes, per_minute, per_second, wanted FROM known JOIN api_key_passes p ON p.key_id = known.id
    WHERE NOT known.revoked AND known.account IS NOT NULL ORDER BY p.key_id FOR NO KEY UPDATE OF p),
  -- The time is read after the lock of each row, so that requests of one key are in order.
  timed AS MATERIALIZED (SELECT *, clock_timestamp() AS now_at, passes[cardinality(passes)] AS latest FROM locked),
  -- Where the clock was set back, all that the windows know moves with it, as if no time had passed since the last request.
  ordered AS (SELECT *, latest > now_at AS was_set_back, CASE WHEN latest > now_at
      THEN ARRAY(SELECT at - (latest - now_at) FROM unnest(passes) WITH ORDINALITY AS pass (at, nth) ORDER BY nth) ELSE passes END AS moved FROM timed),
  held AS MATERIALIZED (SELECT *, moved[width_bucket(now_at - interval '60 seconds', moved) + 1:] AS inside FROM ordered),
  counted AS (SELECT *, cardinality(inside) AS before, greatest(0, least(wanted, per_minute - cardinality(inside),
      per_second - cardinality(inside) + width_bucket(now_at - interval '1 second', inside))) AS let FROM held),
  decided AS MATERIALIZED (SELECT *, before + let AS total, inside || array_fill(now_at, ARRAY[let]) AS now_in FROM counted),
  written AS (UPDATE api_key_passes p SET passes = now_in FROM decided WHERE p.key_id = decided.id AND (let > 0 OR was_set_back)),
  gates AS (SELECT *,
      CASE WHEN total >= per_minute THEN now_in[total - per_minute + 1] + interval '60 seconds' END AS minute_gate,
      CASE WHEN total >= per_second THEN now_in[total - per_second + 1] + interval '1 second' END AS burst_gate FROM decided)
  SELECT known.hash, known.id, known.account, known.scopes, known.revoked, coalesce(let, 0), gates.per_minute, greatest(gates.per_minute - total, 0),
    greatest(1, ceil(extract(epoch FROM now_in[1] + interval '60 seconds' - now_at)))::integer,
    CASE WHEN minute_gate > now_at THEN gates.per_minute ELSE gates.per_second END,
    CASE WHEN let < gates.wanted THEN ceil(extract(epoch FROM greatest(minute_gate, burst_gate) - now_at))::integer END
  FROM known LEFT JOIN gates USING (id);
END $$;

-- A code in a link to the console: whoever opens the link first gets a key with these scopes, for this long. Only its hash is stored.
CREATE TABLE console_codes (
  hash bytea PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  scopes text[] NOT NULL,
  lasts interval NOT NULL,
  expires_at timestamptz NOT NULL
);
