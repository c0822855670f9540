-- Which names there are is for the catalogue to say.
ALTER TABLE webhooks DROP CONSTRAINT webhooks_events_check, ADD CHECK (cardinality(events) > 0);

-- The events of an account are listed, all of them or those of one type, and recovered from a time on.
DROP INDEX events_since;
CREATE INDEX events_list ON events (account_id, created_at, id);
CREATE INDEX events_list_of_type ON events (account_id, type, created_at, id);
