-- A deleted project immediately belongs to nobody: no statement for an account's projects finds it. Its rows in other tables are deleted in the same
-- transaction if that is quick; search data are deleted in the background, in batches.
CREATE TABLE projects (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL CHECK (name <> ''),
  -- The site's root: scheme, host, port where not the default, and the path "/".
  url text NOT NULL, host text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The names of a site's brand, as written and folded like search queries.
  brand_terms text[] NOT NULL DEFAULT '{}', brand_folded text[] NOT NULL DEFAULT '{}'
);
CREATE INDEX projects_list ON projects (account_id, created_at, id);
-- Finds the one project of an account for a host, ignoring `www.`.
CREATE INDEX projects_host ON projects (account_id, host);
CREATE INDEX projects_removed ON projects (id) WHERE account_id IS NULL;

-- Deletes a project's rows that need no waiting. Search data stay until no import holds them. Backlinks, AI visibility and connectors have separate triggers
-- beside their tables.
CREATE FUNCTION abandon_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM site_health_schedules WHERE project_id = OLD.id;
  DELETE FROM site_health_runs WHERE project_id = OLD.id;
  DELETE FROM ranking_sources WHERE site_id = OLD.id;
  DELETE FROM files WHERE project_id = OLD.id;
  DELETE FROM interventions WHERE project_id = OLD.id;
  DELETE FROM visibility_snapshots WHERE project_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER projects_abandon AFTER UPDATE OF account_id ON projects FOR EACH ROW WHEN (NEW.account_id IS NULL) EXECUTE FUNCTION abandon_project();

-- The large tables of search data have no foreign keys, because their checks would cost more than the rows. This trigger deletes their rows with a project.
CREATE FUNCTION forget_rankings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE gone integer := (SELECT number FROM ranking_sites WHERE site_id = OLD.id);
BEGIN
  DELETE FROM rankings WHERE generation IN (SELECT id FROM ranking_generations WHERE site_id = OLD.id);
  DELETE FROM ranking_blocks WHERE generation IN (SELECT id FROM ranking_generations WHERE site_id = OLD.id);
  DELETE FROM ranking_query_facts WHERE site = gone;
  DELETE FROM ranking_page_facts WHERE site = gone;
  DELETE FROM ranking_property_facts WHERE site = gone;
  DELETE FROM ranking_days WHERE site = gone;
  DELETE FROM ranking_pairs WHERE site = gone;
  DELETE FROM ranking_pages WHERE site = gone;
  DELETE FROM ranking_variants WHERE site = gone;
  RETURN OLD;
END $$;
CREATE TRIGGER projects_forget_rankings BEFORE DELETE ON projects FOR EACH ROW EXECUTE FUNCTION forget_rankings();

-- Removes about `most` rows of a deleted project, or a day of facts, or at last the project. Returns whether anything may be left. Sums are removed before
-- facts, so the facts' triggers have nothing to update.
CREATE FUNCTION remove_project_data(gone uuid, most integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE number integer; name text; oldest date; taken bigint;
BEGIN
  PERFORM FROM projects WHERE id = gone AND account_id IS NULL FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  SELECT s.number INTO number FROM ranking_sites s WHERE site_id = gone FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    -- A running import holds the site; it will find the project missing.
    IF EXISTS (SELECT FROM ranking_sites WHERE site_id = gone) THEN RETURN false; END IF;
    DELETE FROM projects WHERE id = gone; RETURN false;
  END IF;
  DELETE FROM ranking_range_rows WHERE ctid IN (
    SELECT r.ctid FROM ranking_range_snapshots s JOIN ranking_range_rows r ON r.snapshot_id = s.id WHERE s.project_id = gone LIMIT most);
  GET DIAGNOSTICS taken = ROW_COUNT; IF taken > 0 THEN RETURN true; END IF;
  FOREACH name IN ARRAY ARRAY['rankings', 'ranking_blocks'] LOOP
    EXECUTE format('DELETE FROM %I WHERE ctid IN (
      SELECT r.ctid FROM %I r WHERE generation IN (SELECT id FROM ranking_generations WHERE site_id = $1) LIMIT $2)', name, name) USING gone, most;
    GET DIAGNOSTICS taken = ROW_COUNT; IF taken > 0 THEN RETURN true; END IF;
  END LOOP;
  FOREACH name IN ARRAY ARRAY['ranking_query_months', 'ranking_page_months', 'ranking_query_segments', 'ranking_page_segments', 'ranking_segment_days'] LOOP
    EXECUTE format('DELETE FROM %I WHERE ctid IN (SELECT ctid FROM %I WHERE site = $1 LIMIT $2)', name, name) USING number, most;
    GET DIAGNOSTICS taken = ROW_COUNT; IF taken > 0 THEN RETURN true; END IF;
  END LOOP;
  FOREACH name IN ARRAY ARRAY['ranking_query_facts', 'ranking_page_facts', 'ranking_property_facts'] LOOP
    EXECUTE format('SELECT day FROM %I WHERE site = $1 ORDER BY day LIMIT 1', name) INTO oldest USING number;
    IF oldest IS NOT NULL THEN
      EXECUTE format('DELETE FROM %I WHERE site = $1 AND day = $2', name) USING number, oldest; RETURN true;
    END IF;
  END LOOP;
  FOREACH name IN ARRAY ARRAY['ranking_pairs', 'ranking_pages', 'ranking_variants', 'ranking_conditions', 'ranking_days'] LOOP
    EXECUTE format('DELETE FROM %I WHERE ctid IN (SELECT ctid FROM %I WHERE site = $1 LIMIT $2)', name, name) USING number, most;
    GET DIAGNOSTICS taken = ROW_COUNT; IF taken > 0 THEN RETURN true; END IF;
  END LOOP;
  DELETE FROM projects WHERE id = gone;
  RETURN false;
END $$;

-- Removes the answers of AI engines in batches, because they may be many, and then the project's other data.
CREATE FUNCTION remove_project(gone uuid, most integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE taken bigint;
BEGIN
  IF EXISTS (SELECT FROM projects WHERE id = gone AND account_id IS NULL) THEN
    DELETE FROM visibility_calls WHERE ctid IN (
      SELECT c.ctid FROM visibility_runs r JOIN visibility_calls c ON c.run_id = r.id WHERE r.project_id = gone LIMIT most FOR UPDATE OF c SKIP LOCKED);
    GET DIAGNOSTICS taken = ROW_COUNT; IF taken > 0 THEN RETURN true; END IF;
  END IF;
  RETURN remove_project_data(gone, most);
END $$;

-- Files that callers sent for import. The files wait here in pieces, and any node may take them. The end of the import removes the pieces.
CREATE TABLE files (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('backlinks', 'rankings')),
  -- A file is invisible while it is being received.
  status text NOT NULL DEFAULT 'receiving' CHECK (status IN ('receiving', 'queued', 'running', 'completed', 'failed')),
  -- The sender's terms for reading the file.
  terms json NOT NULL,
  hash text,
  -- The outcome, written by the import's transaction. If the worker dies afterwards, the next one finds the outcome.
  outcome json, error json,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- When the last piece arrived.
  touched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz,
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease uuid, leased_until timestamptz,
  -- The claim of the receiving node, which the node renews while it receives. Without renewals the file is ignored and removed.
  received_until timestamptz,
  -- One request per Idempotency-Key is received at a time.
  idempotency_key text,
  CHECK ((status = 'receiving') = (hash IS NULL)),
  CHECK ((status = 'running') = (lease IS NOT NULL)), CHECK ((lease IS NULL) = (leased_until IS NULL)),
  CHECK ((status IN ('completed', 'failed')) = (finished_at IS NOT NULL)),
  CHECK ((status = 'failed') = (error IS NOT NULL)),
  CHECK (status <> 'completed' OR outcome IS NOT NULL)
);
CREATE INDEX files_list ON files (project_id, kind, created_at DESC, id DESC);
CREATE INDEX files_open ON files (account_id) WHERE finished_at IS NULL;
-- Finds an account's waiting files, and the first import of a project, without reading later files.
CREATE INDEX files_turns ON files (kind, account_id, created_at) WHERE status = 'queued';
CREATE INDEX files_order ON files (project_id, kind, created_at, id) WHERE status IN ('queued', 'running');
CREATE INDEX files_leased ON files (leased_until) WHERE lease IS NOT NULL;
CREATE INDEX files_received ON files (received_until) WHERE status = 'receiving';
CREATE INDEX files_age ON files (finished_at, id) WHERE finished_at IS NOT NULL;

CREATE TABLE file_pieces (
  file uuid NOT NULL REFERENCES files ON DELETE CASCADE,
  number integer NOT NULL, bytes bytea NOT NULL,
  PRIMARY KEY (file, number)
);
-- Most files are compressed already.
ALTER TABLE file_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;
