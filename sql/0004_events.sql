-- The site of an event, which its data name. Quotes within a text of the body have a backslash before them, so no text looks like a field.
CREATE FUNCTION event_project(body text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT substring(body FROM '"(?:project_id|site_id)":"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"')::uuid
$$;

-- The outbox: the transaction that makes an event true writes the event.
CREATE TABLE events (
  id text PRIMARY KEY CHECK (id ~ '^evt_[0-9a-z]{26}$'),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  type text NOT NULL,
  -- The exact text that every attempt signs and sends.
  body text NOT NULL,
  -- The occurrence, for events that must not be published twice.
  occurrence text,
  created_at timestamptz NOT NULL,
  -- The place of an event among its account's events, in the order of commits, which may differ from the order of ids and times. The reader numbers committed
  -- events under a lock; null until the account is first read in this order. Transaction ids would order events at no cost, but they mean nothing after a
  -- restore, and a reader would have to stop before the oldest open transaction of the whole database, such as an import that runs for minutes.
  position bigint,
  -- Whether the event belongs to a test delivery and so not to the account's history.
  is_test boolean NOT NULL DEFAULT false,
  project_id uuid GENERATED ALWAYS AS (event_project(body)) STORED,
  UNIQUE (account_id, type, occurrence)
);
-- For lists of an account's events, of all types or of one, and for resending from a time on.
CREATE INDEX events_list ON events (account_id, created_at, id);
CREATE INDEX events_list_of_type ON events (account_id, type, created_at, id);
CREATE INDEX events_list_of_project ON events (account_id, project_id, created_at, id) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX events_in_order ON events (account_id, position) WHERE position IS NOT NULL;
CREATE INDEX events_in_order_of_type ON events (account_id, type, position) WHERE position IS NOT NULL;
CREATE INDEX events_unplaced ON events (account_id, created_at, id) WHERE position IS NULL AND NOT is_test;
-- For the removal of events by age.
CREATE INDEX events_age ON events (created_at);

-- Programs read events in their own process, each under a name. A feed's unread events are rows that are written with the events. So a feed misses no event,
-- even after a late commit, and stays right when the database is restored elsewhere.
CREATE TABLE event_feeds (name text PRIMARY KEY CHECK (name <> ''), created_at timestamptz NOT NULL DEFAULT clock_timestamp());

CREATE TABLE event_feed_queue (
  feed text NOT NULL REFERENCES event_feeds ON DELETE CASCADE,
  event_id text NOT NULL REFERENCES events ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (feed, created_at, event_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX event_feed_queue_event ON event_feed_queue (event_id);
