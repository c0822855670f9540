-- How many failures end a delivery is the retry schedule's to say (`retryDelays`): a count bound to seven delays could not record the eighth failure,
-- and the delivery came due again at once.
ALTER TABLE webhook_queue
  DROP CONSTRAINT webhook_queue_failures_check,
  ADD CONSTRAINT webhook_queue_failures_check CHECK (failures >= 0);
