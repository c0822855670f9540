-- The place of an event among those of its account, in the order in which readers may see them: an event that commits later comes later, whatever its id and
-- time say. The reader gives it under a lock, to events that are committed by then; null until the account is first read in this order. Transaction ids
-- would order events at no cost, but they mean nothing after a restore, and a reader would have to stop before the oldest open transaction of the whole
-- database, such as an import that runs for minutes.
ALTER TABLE events ADD COLUMN position bigint;
CREATE UNIQUE INDEX events_in_order ON events (account_id, position) WHERE position IS NOT NULL;
CREATE INDEX events_in_order_of_type ON events (account_id, type, position) WHERE position IS NOT NULL;

-- A test delivery has an event of its own, which is no part of the account's history.
ALTER TABLE events ADD COLUMN is_test boolean NOT NULL DEFAULT false;
CREATE INDEX events_unplaced ON events (account_id, created_at, id) WHERE position IS NULL AND NOT is_test;
