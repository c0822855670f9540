-- A file that is received is its node's, which renews that as long as it receives: without renewals it counts for nothing and goes. Null: a node of the
-- release before receives it. Of the requests with one Idempotency-Key one is received at a time.
ALTER TABLE ranking_uploads
  ADD COLUMN received_until timestamptz,
  ADD COLUMN idempotency_key text;
CREATE INDEX ranking_uploads_received ON ranking_uploads (received_until) WHERE status = 'receiving';
