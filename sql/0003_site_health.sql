CREATE TABLE site_health_runs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  url text NOT NULL,
  max_pages integer NOT NULL CHECK (max_pages BETWEEN 1 AND 50),
  check_dead_links boolean NOT NULL,
  status text NOT NULL DEFAULT 'queued'
    CHECK (status IN ('queued', 'running', 'completed', 'partial', 'failed', 'cancelled')),
  phase text NOT NULL DEFAULT 'queued'
    CHECK (phase IN ('queued', 'preparing', 'crawling', 'analysing', 'finished')),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  counters json,
  error json,
  result json,
  -- The worker that executes the run holds it until then; nobody else may write to it.
  lease uuid,
  leased_until timestamptz,
  CHECK ((status = 'running') = (lease IS NOT NULL)),
  CHECK ((status = 'running') = (leased_until IS NOT NULL)),
  CHECK ((status IN ('completed', 'partial', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
  CHECK ((status IN ('completed', 'partial')) = (result IS NOT NULL)),
  CHECK ((status = 'failed') = (error IS NOT NULL))
);
CREATE INDEX site_health_runs_list ON site_health_runs (project_id, created_at DESC, id DESC);
CREATE INDEX site_health_runs_quota ON site_health_runs (account_id, created_at DESC);
CREATE INDEX site_health_runs_queue ON site_health_runs (created_at) WHERE status = 'queued';
CREATE INDEX site_health_runs_leases ON site_health_runs (leased_until) WHERE status = 'running';

-- Final states never change, whoever asks.
CREATE FUNCTION refuse_change_of_final_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'site health run % is %, which is final', OLD.id, OLD.status;
END $$;
CREATE TRIGGER site_health_runs_final BEFORE UPDATE ON site_health_runs FOR EACH ROW
  WHEN (OLD.finished_at IS NOT NULL) EXECUTE FUNCTION refuse_change_of_final_run();

-- Idempotency keys are kept per account, for ever. A caller who joined a run by a key of their own is replayed that run.
CREATE TABLE site_health_keys (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  key text NOT NULL,
  request json NOT NULL,
  run_id uuid NOT NULL REFERENCES site_health_runs ON DELETE CASCADE,
  PRIMARY KEY (account_id, key)
);
CREATE INDEX site_health_keys_run ON site_health_keys (run_id);
