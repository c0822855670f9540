-- Changes of a site, from the proposal to the rollback. Changes through a connector have `github` or `wordpress`; changes that are recorded by hand have the
-- name of the system in `connector`.
CREATE TABLE interventions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  url text NOT NULL CHECK (url <> ''),
  connector text NOT NULL CHECK (connector <> ''),
  summary text NOT NULL CHECK (summary <> ''),
  deployed_at timestamptz,
  rolled_back_at timestamptz CHECK (rolled_back_at >= deployed_at),
  reason text CHECK (reason <> ''),
  status text NOT NULL DEFAULT 'deployed' CHECK (status IN
    ('proposed', 'merged', 'deployed', 'not_verified', 'closed', 'rolling_back', 'rolled_back', 'conflict')),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The issue that it fixes: a run, a check and a URL.
  finding json,
  -- The request to the connector and its outcome; at most one of the two.
  github json, wordpress json,
  error text, merged_at timestamptz,
  -- The run that will verify it, and the run that verified it. Old runs may be removed.
  verify_run_id uuid, verified_by_run_id uuid,
  -- The number of past verifications.
  verifications integer NOT NULL DEFAULT 0 CHECK (verifications >= 0),
  -- Whether a request waits for the next turn of a worker.
  is_asked boolean NOT NULL DEFAULT false,
  -- Begun turns. After the first turn, a worker may have died during its requests.
  turns integer NOT NULL DEFAULT 0,
  due_at timestamptz,
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease uuid, leased_until timestamptz CHECK ((lease IS NULL) = (leased_until IS NULL)),
  -- The names of writes that were sent to the other side. A name is stored before its write is sent, so no worker sends the write again, even after an unclear
  -- response. A certain refusal removes the name.
  sent text[] NOT NULL DEFAULT '{}',
  -- A reason without a time: the rollback may be running, or in doubt.
  CHECK (reason IS NULL OR rolled_back_at IS NOT NULL OR status IN ('rolling_back', 'conflict')),
  CHECK (github IS NULL OR wordpress IS NULL),
  CHECK (status <> 'deployed' OR deployed_at IS NOT NULL)
);
CREATE INDEX interventions_list ON interventions (project_id, created_at DESC, id DESC);
CREATE INDEX interventions_project ON interventions (project_id, deployed_at);
CREATE INDEX interventions_due ON interventions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX interventions_leased ON interventions (leased_until) WHERE lease IS NOT NULL;

-- Sealed credentials for changes of a project's sites.
CREATE TABLE github_connectors (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  credentials text NOT NULL,
  -- The time until which GitHub refuses requests with this token.
  paused_until timestamptz
);
CREATE TABLE wordpress_connectors (project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE, credentials text NOT NULL);

-- The deletion of a project deletes its credentials immediately.
CREATE FUNCTION abandon_connectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM github_connectors WHERE project_id = OLD.id;
  DELETE FROM wordpress_connectors WHERE project_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER projects_abandon_connectors AFTER UPDATE OF account_id ON projects FOR EACH ROW
  WHEN (NEW.account_id IS NULL) EXECUTE FUNCTION abandon_connectors();
