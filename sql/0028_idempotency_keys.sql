-- One key space per account for every request that creates. A key stands for a run, which is told as it is now, or for the first answer.
ALTER TABLE site_health_keys RENAME TO idempotency_keys;
ALTER INDEX site_health_keys_run RENAME TO idempotency_keys_run;
ALTER TABLE idempotency_keys
  ALTER COLUMN run_id DROP NOT NULL,
  ADD COLUMN answer json,
  -- What the first answer showed once, encrypted; it is forgotten after a day.
  ADD COLUMN secret text,
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ADD CHECK ((run_id IS NULL) <> (answer IS NULL));
CREATE INDEX idempotency_keys_secret ON idempotency_keys (created_at) WHERE secret IS NOT NULL;
