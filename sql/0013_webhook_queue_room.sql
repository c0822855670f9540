-- A claim writes a new version of a row, a little longer than the one before; with room for one of each in its page it touches no index.
ALTER TABLE webhook_queue SET (fillfactor = 45);
