-- One key space per account for every request that creates, kept for ever. A key stands for a run, which is answered as it is now, or for the first answer.
-- A caller who joined a run by a key of their own is replayed that run. Keys outlive the run that they stand for: used again, they are a conflict.
CREATE TABLE idempotency_keys (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  key text NOT NULL,
  request json NOT NULL,
  run_id uuid REFERENCES site_health_runs ON DELETE SET NULL,
  answer json,
  -- What the first answer showed once, encrypted; it is forgotten after a day.
  secret text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, key),
  CHECK (run_id IS NULL OR answer IS NULL)
);
CREATE INDEX idempotency_keys_run ON idempotency_keys (run_id);
CREATE INDEX idempotency_keys_secret ON idempotency_keys (created_at) WHERE secret IS NOT NULL;
