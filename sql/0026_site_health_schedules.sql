-- Runs that recur. The text of the interval is kept as it was written.
CREATE TABLE site_health_schedules (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  every text NOT NULL,
  every_minutes integer NOT NULL CHECK (every_minutes BETWEEN 360 AND 43200),
  url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
  -- Null: what the plan allows when the run starts.
  max_pages integer CHECK (max_pages BETWEEN 1 AND 50),
  check_dead_links boolean NOT NULL,
  next_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_run_id uuid REFERENCES site_health_runs ON DELETE SET NULL,
  skipped_at timestamptz,
  skipped_reason text,
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((lease IS NULL) = (leased_until IS NULL)),
  CHECK ((skipped_at IS NULL) = (skipped_reason IS NULL))
);
CREATE INDEX site_health_schedules_list ON site_health_schedules (project_id, created_at, id);
CREATE INDEX site_health_schedules_account ON site_health_schedules (account_id);
CREATE INDEX site_health_schedules_run ON site_health_schedules (last_run_id);
CREATE INDEX site_health_schedules_due ON site_health_schedules (next_at);
CREATE INDEX site_health_schedules_leased ON site_health_schedules (leased_until) WHERE lease IS NOT NULL;
