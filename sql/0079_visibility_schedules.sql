-- Runs of AI visibility that recur. The text of the interval is kept as it was written.
CREATE TABLE geo_schedules (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  every text NOT NULL,
  every_minutes integer NOT NULL CHECK (every_minutes BETWEEN 360 AND 43200),
  engines text[] NOT NULL CHECK (cardinality(engines) > 0),
  repeats integer NOT NULL CHECK (repeats BETWEEN 1 AND 10),
  next_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_run_id uuid REFERENCES geo_runs ON DELETE SET NULL,
  skipped_at timestamptz,
  skipped_reason text,
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((lease IS NULL) = (leased_until IS NULL)),
  CHECK ((skipped_at IS NULL) = (skipped_reason IS NULL))
);
CREATE INDEX geo_schedules_list ON geo_schedules (project_id, created_at, id);
CREATE INDEX geo_schedules_turns ON geo_schedules (account_id, next_at);
CREATE INDEX geo_schedules_run ON geo_schedules (last_run_id);
CREATE INDEX geo_schedules_due ON geo_schedules (next_at);
CREATE INDEX geo_schedules_leased ON geo_schedules (leased_until) WHERE lease IS NOT NULL;

-- The list of runs, and the order in which old ones are removed.
CREATE INDEX geo_runs_list ON geo_runs (project_id, created_at DESC, id DESC);
CREATE INDEX geo_runs_aged ON geo_runs (finished_at, id);
-- What a run asked and cost so far, without its answers.
CREATE INDEX geo_calls_counts ON geo_calls (run_id) INCLUDE (outcome, cost_usd, reserved_usd);
-- Calls under way: a budget is used up when none is, and there is no room.
CREATE INDEX geo_calls_sent ON geo_calls (run_id) WHERE status = 'sent';

CREATE OR REPLACE FUNCTION abandon_geo_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM geo_schedules WHERE project_id = OLD.id;
  DELETE FROM geo_runs WHERE project_id = OLD.id AND finished_at IS NULL;
  RETURN NULL;
END $$;

-- Answers of a deleted project may be many: they go in batches, before its search data.
ALTER FUNCTION remove_project(uuid, integer) RENAME TO remove_project_data;
CREATE FUNCTION remove_project(gone uuid, most integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  taken bigint;
BEGIN
  IF EXISTS (SELECT FROM projects WHERE id = gone AND account_id IS NULL) THEN
    DELETE FROM geo_calls WHERE ctid IN (
      SELECT c.ctid FROM geo_runs r JOIN geo_calls c ON c.run_id = r.id WHERE r.project_id = gone LIMIT most FOR UPDATE OF c SKIP LOCKED);
    GET DIAGNOSTICS taken = ROW_COUNT;
    IF taken > 0 THEN RETURN true; END IF;
  END IF;
  RETURN remove_project_data(gone, most);
END $$;
