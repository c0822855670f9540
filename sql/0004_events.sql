-- The outbox: an event is written by the transaction that makes it true.
CREATE TABLE events (
  id text PRIMARY KEY CHECK (id ~ '^evt_[0-9a-z]{26}$'),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  type text NOT NULL,
  -- The exact text that is signed and sent, on every attempt.
  body text NOT NULL,
  -- What happened, for events that must not be published twice.
  occurrence text,
  created_at timestamptz NOT NULL,
  -- The place of an event among those of its account, in the order in which readers may see them: an event that commits later comes later, whatever its id
  -- and time say. The reader gives it under a lock, to events that are committed by then; null until the account is first read in this order. Transaction
  -- ids would order events at no cost, but they mean nothing after a restore, and a reader would have to stop before the oldest open transaction of the
  -- whole database, such as an import that runs for minutes.
  position bigint,
  -- A test delivery has an event of its own, which is no part of the account's history.
  is_test boolean NOT NULL DEFAULT false,
  UNIQUE (account_id, type, occurrence)
);
-- The events of an account are listed, all of them or those of one type, and recovered from a time on.
CREATE INDEX events_list ON events (account_id, created_at, id);
CREATE INDEX events_list_of_type ON events (account_id, type, created_at, id);
CREATE UNIQUE INDEX events_in_order ON events (account_id, position) WHERE position IS NOT NULL;
CREATE INDEX events_in_order_of_type ON events (account_id, type, position) WHERE position IS NOT NULL;
CREATE INDEX events_unplaced ON events (account_id, created_at, id) WHERE position IS NULL AND NOT is_test;
-- Events are removed by their age.
CREATE INDEX events_age ON events (created_at);

-- Programs read events in their own process, each under a name. What a feed has yet to read are rows that are written with the events, so that it passes
-- by no event, however late the transaction of that commits, and stays right when the database is restored elsewhere.
CREATE TABLE event_feeds (name text PRIMARY KEY CHECK (name <> ''), created_at timestamptz NOT NULL DEFAULT clock_timestamp());

CREATE TABLE event_feed_queue (
  feed text NOT NULL REFERENCES event_feeds ON DELETE CASCADE,
  event_id text NOT NULL REFERENCES events ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (feed, created_at, event_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX event_feed_queue_event ON event_feed_queue (event_id);
