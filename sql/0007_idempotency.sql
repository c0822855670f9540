-- One key space per account for every request that creates, kept forever. A replay of a key returns the current state of its run, or the first response. A
-- caller that joined a run with its own key gets that run again. Keys outlive their run; used again after its removal, they are a conflict.
CREATE TABLE idempotency_keys (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  key text NOT NULL,
  request json NOT NULL,
  run_id uuid REFERENCES site_health_runs ON DELETE SET NULL,
  answer json,
  -- The secret of the first response, encrypted; removed after a day.
  secret text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, key),
  CHECK (run_id IS NULL OR answer IS NULL)
);
CREATE INDEX idempotency_keys_run ON idempotency_keys (run_id);
CREATE INDEX idempotency_keys_secret ON idempotency_keys (created_at) WHERE secret IS NOT NULL;
