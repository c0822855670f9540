-- A project that is deleted belongs to nobody at once: every statement that asks for an account's project misses it. What hangs on it goes in the same
-- transaction as far as that is quick, and the search data in the background, in batches.
ALTER TABLE projects ALTER COLUMN account_id DROP NOT NULL;
CREATE INDEX projects_removed ON projects (id) WHERE account_id IS NULL;

-- Idempotency keys outlive the run that they stand for: used again, they are a conflict.
ALTER TABLE idempotency_keys DROP CONSTRAINT site_health_keys_run_id_fkey,
  ADD CONSTRAINT idempotency_keys_run_id_fkey FOREIGN KEY (run_id) REFERENCES site_health_runs ON DELETE SET NULL,
  DROP CONSTRAINT idempotency_keys_check,
  ADD CHECK (run_id IS NULL OR answer IS NULL);

-- Runs of the last hour that were removed: they count against the hour's quota like those that are there.
CREATE TABLE site_health_removed_runs (
  account_id uuid NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX site_health_removed_runs_account ON site_health_removed_runs (account_id, created_at);
CREATE FUNCTION remember_site_health_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM site_health_removed_runs WHERE created_at < clock_timestamp() - interval '1 day';
  INSERT INTO site_health_removed_runs (account_id, created_at)
  SELECT account_id, created_at FROM removed
  WHERE created_at > clock_timestamp() - interval '1 hour' AND EXISTS (SELECT FROM accounts WHERE id = account_id);
  RETURN NULL;
END $$;
CREATE TRIGGER site_health_runs_removed AFTER DELETE ON site_health_runs REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION remember_site_health_runs();

-- What goes at once. Search data stay until no import has them in hand.
CREATE FUNCTION abandon_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM site_health_schedules WHERE project_id = OLD.id;
  DELETE FROM site_health_runs WHERE project_id = OLD.id;
  DELETE FROM ranking_sources WHERE site_id = OLD.id;
  DELETE FROM ranking_uploads WHERE project_id = OLD.id;
  DELETE FROM interventions WHERE project_id = OLD.id;
  DELETE FROM backlink_snapshots WHERE project_id = OLD.id;
  DELETE FROM visibility_snapshots WHERE project_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER projects_abandon AFTER UPDATE OF account_id ON projects FOR EACH ROW
  WHEN (NEW.account_id IS NULL) EXECUTE FUNCTION abandon_project();

-- Takes away some `most` rows of a deleted project, or a day of facts, or at last the project; answers whether anything may be left. Sums by month go
-- first, so that the facts' triggers find nothing to keep right.
CREATE FUNCTION remove_project(gone uuid, most integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  number integer;
  name text;
  oldest date;
  taken bigint;
BEGIN
  PERFORM FROM projects WHERE id = gone AND account_id IS NULL FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  SELECT s.number INTO number FROM ranking_sites s WHERE site_id = gone FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    -- An import that is under way has the site; it will find that there is no project any more.
    IF EXISTS (SELECT FROM ranking_sites WHERE site_id = gone) THEN RETURN false; END IF;
    DELETE FROM projects WHERE id = gone;
    RETURN false;
  END IF;
  FOREACH name IN ARRAY ARRAY['rankings', 'ranking_blocks'] LOOP
    EXECUTE format('DELETE FROM %I WHERE ctid IN (
      SELECT r.ctid FROM %I r WHERE generation IN (SELECT id FROM ranking_generations WHERE site_id = $1) LIMIT $2)', name, name) USING gone, most;
    GET DIAGNOSTICS taken = ROW_COUNT;
    IF taken > 0 THEN RETURN true; END IF;
  END LOOP;
  FOREACH name IN ARRAY ARRAY['ranking_query_months', 'ranking_page_months'] LOOP
    EXECUTE format('DELETE FROM %I WHERE ctid IN (SELECT ctid FROM %I WHERE site = $1 LIMIT $2)', name, name) USING number, most;
    GET DIAGNOSTICS taken = ROW_COUNT;
    IF taken > 0 THEN RETURN true; END IF;
  END LOOP;
  FOREACH name IN ARRAY ARRAY['ranking_query_facts', 'ranking_page_facts', 'ranking_property_facts'] LOOP
    EXECUTE format('SELECT day FROM %I WHERE site = $1 ORDER BY day LIMIT 1', name) INTO oldest USING number;
    IF oldest IS NOT NULL THEN
      EXECUTE format('DELETE FROM %I WHERE site = $1 AND day = $2', name) USING number, oldest;
      RETURN true;
    END IF;
  END LOOP;
  FOREACH name IN ARRAY ARRAY['ranking_pairs', 'ranking_pages', 'ranking_variants', 'ranking_conditions', 'ranking_days'] LOOP
    EXECUTE format('DELETE FROM %I WHERE ctid IN (SELECT ctid FROM %I WHERE site = $1 LIMIT $2)', name, name) USING number, most;
    GET DIAGNOSTICS taken = ROW_COUNT;
    IF taken > 0 THEN RETURN true; END IF;
  END LOOP;
  DELETE FROM projects WHERE id = gone;
  RETURN false;
END $$;
