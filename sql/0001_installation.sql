-- What an installation has once, and what all rooms use.

-- The look of every timestamp on the wire: ISO 8601 with microseconds and the UTC offset. STABLE like `to_char`: the planner writes a function's text into
-- a statement only when the function promises no more than its text, and a page of a list calls this one for each of its times.
CREATE FUNCTION iso(at timestamptz) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  $$ SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') $$;

-- The cursor key only has to be unguessable: two random UUIDs are 244 bits.
CREATE TABLE installation (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  cursor_key bytea NOT NULL,
  -- Names the master key that seals the secrets of all tables, set by the first node that starts; a node with another key refuses to start.
  master_key_id text
);
INSERT INTO installation (cursor_key) SELECT sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));

-- Leased work takes turns by account: after the account that was served last comes the next one that has something waiting, in the order of their ids,
-- and after the last of them the first.
CREATE TABLE queue_turns (
  queue text PRIMARY KEY,
  -- The account that was served last.
  last uuid NOT NULL
);
INSERT INTO queue_turns (queue, last)
SELECT queue, '00000000-0000-0000-0000-000000000000'
FROM unnest(ARRAY['imports', 'site health runs', 'site health schedules', 'audits by lighthouse', 'audits by psi', 'synchronisations']) AS queue;

-- Until when other accounts go first in a queue: as long after an account's work as that work took. A time of the past means nothing.
CREATE TABLE queue_debts (
  queue text NOT NULL, account uuid NOT NULL, until timestamptz NOT NULL,
  PRIMARY KEY (queue, account)
);
