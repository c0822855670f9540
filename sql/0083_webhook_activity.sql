-- What a subscription's log says at a glance: its deliveries of the last day, the newest of each status, which also make the list of an account's deliveries,
-- and its newest acceptance. Each is a range of an index, whatever the length of the log.
CREATE INDEX webhook_log_newest ON webhook_log (webhook_id, status, created_at DESC, id DESC);
CREATE INDEX webhook_log_accepted ON webhook_log (webhook_id, finished_at) WHERE status = 'delivered';
