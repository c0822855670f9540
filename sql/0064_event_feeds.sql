-- Programs read events in their own process, each under a name. What a feed has yet to read are rows that are written with the events, so that it passes
-- by no event, however late the transaction of that commits, and stays right when the database is restored elsewhere.
CREATE TABLE event_feeds (
  name text PRIMARY KEY CHECK (name <> ''),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE event_feed_queue (
  feed text NOT NULL REFERENCES event_feeds ON DELETE CASCADE,
  event_id text NOT NULL REFERENCES events ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (feed, created_at, event_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX event_feed_queue_event ON event_feed_queue (event_id);
