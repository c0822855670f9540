-- Data of an installation, and parts that all rooms share.

-- The format of every timestamp on the wire: ISO 8601 with microseconds and the UTC offset. STABLE like `to_char`: the planner inlines a function only when it
-- promises no more than its text, and a page of a list calls this function for each time.
CREATE FUNCTION iso(at timestamptz) RETURNS text LANGUAGE sql STABLE STRICT PARALLEL SAFE AS
  $$ SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') $$;

-- The cursor key only has to be unguessable: two random UUIDs are 244 bits.
CREATE TABLE installation (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  cursor_key bytea NOT NULL,
  -- Id of the master key that seals the secrets of all tables, set by the first node. A node with another key refuses to start.
  master_key_id text,
  -- The last backup by `findable backup`: when it was made, its bytes, and whether it has the secrets.
  backed_up_at timestamptz, backup_bytes bigint, backup_has_secrets boolean,
  CHECK (num_nulls(backed_up_at, backup_bytes, backup_has_secrets) IN (0, 3))
);
INSERT INTO installation (cursor_key) SELECT sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));

-- Leased work takes turns by account: after the last served account, the next account with waiting work, in the order of ids, and after the last account the
-- first. A claim locks the row of its queue: one node at a time claims from a queue.
CREATE TABLE queue_turns (
  queue text PRIMARY KEY,
  -- The account that was served last.
  last uuid NOT NULL
);

-- The time until which other accounts go first in a queue: after an account's work, for the length of that work. A past time has no effect.
CREATE TABLE queue_debts (
  queue text NOT NULL, account uuid NOT NULL, until timestamptz NOT NULL,
  PRIMARY KEY (queue, account)
);
