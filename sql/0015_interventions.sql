-- Changes of a site, from the proposal to the rollback. Those that go through a connector have `github` or `wordpress`; those that are recorded by hand name
-- in `connector` the system that they went through.
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
  -- The fault that it repairs: a run, a rule and a URL.
  finding json,
  -- What is asked of the connector and what came of it; at most one of the two.
  github json, wordpress json,
  error text, merged_at timestamptz,
  -- The run that is to verify it, and the one that did. They may be removed by their age.
  verify_run_id uuid, verified_by_run_id uuid,
  -- How many of the times at which it is verified are over.
  verifications integer NOT NULL DEFAULT 0 CHECK (verifications >= 0),
  -- Whether a request waits for the next turn of a worker.
  is_asked boolean NOT NULL DEFAULT false,
  -- Turns that were begun: after the first one a worker may have died in the middle of its requests.
  turns integer NOT NULL DEFAULT 0,
  due_at timestamptz,
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease uuid, leased_until timestamptz CHECK ((lease IS NULL) = (leased_until IS NULL)),
  -- The writes that left for the other side, by their names. A name is stored before its write is sent, so that no worker sends it again, whatever came
  -- back; a write that the other side refused for certain takes its name out.
  sent text[] NOT NULL DEFAULT '{}',
  -- A reason without a rollback: one may be under way now, or in doubt.
  CHECK (reason IS NULL OR rolled_back_at IS NOT NULL OR status IN ('rolling_back', 'conflict')),
  CHECK (github IS NULL OR wordpress IS NULL),
  CHECK (status <> 'deployed' OR deployed_at IS NOT NULL)
);
CREATE INDEX interventions_list ON interventions (project_id, created_at DESC, id DESC);
CREATE INDEX interventions_project ON interventions (project_id, deployed_at);
CREATE INDEX interventions_due ON interventions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX interventions_leased ON interventions (leased_until) WHERE lease IS NOT NULL;

-- Credentials by which the sites of a project are changed, sealed.
CREATE TABLE github_connectors (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  credentials text NOT NULL,
  -- Until when GitHub wants no more requests with this token.
  paused_until timestamptz
);
CREATE TABLE wordpress_connectors (project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE, credentials text NOT NULL);

-- With a project its credentials go at once.
CREATE FUNCTION abandon_connectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM github_connectors WHERE project_id = OLD.id;
  DELETE FROM wordpress_connectors WHERE project_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER projects_abandon_connectors AFTER UPDATE OF account_id ON projects FOR EACH ROW
  WHEN (NEW.account_id IS NULL) EXECUTE FUNCTION abandon_connectors();
