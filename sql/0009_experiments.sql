-- A domain of an account for experiments. Several rows may have one domain.
CREATE TABLE growth_projects (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- Lower case, punycode, without scheme, `www.` and port: the form for comparing with sites.
  domain text NOT NULL CHECK (domain <> '' AND domain = lower(domain)),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (id, account_id)
);
CREATE INDEX growth_projects_list ON growth_projects (account_id, created_at, id);
CREATE INDEX growth_projects_domain ON growth_projects (account_id, domain);

-- The type json keeps the written text: its numbers read back bit for bit, and texts can be compared.
CREATE TABLE experiments (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL,
  project_id uuid NOT NULL,
  name text NOT NULL CHECK (name <> ''),
  hypothesis text CHECK (hypothesis <> ''),
  status text NOT NULL CHECK (status IN ('draft', 'running', 'completed')),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(), started_at timestamptz, completed_at timestamptz,
  -- The counts and their analysis.
  metrics json, analysis json,
  -- For an experiment on the stored page totals: the request, the random assignment of pages, and the test and control pages, fixed by the start.
  design json, assignment json, pages json,
  -- Warnings of the start, as sentences.
  warnings json,
  site_id uuid GENERATED ALWAYS AS ((design ->> 'site_id')::uuid) STORED,
  FOREIGN KEY (project_id, account_id) REFERENCES growth_projects (id, account_id) ON DELETE CASCADE,
  CHECK ((status = 'draft') = (started_at IS NULL)), CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
  CHECK ((status = 'completed') = (metrics IS NOT NULL)), CHECK ((status = 'completed') = (analysis IS NOT NULL)),
  CHECK (status = 'draft' OR design IS NULL OR pages IS NOT NULL),
  CHECK (assignment IS NULL OR design IS NOT NULL)
);
CREATE INDEX experiments_list ON experiments (account_id, created_at DESC, id DESC);
CREATE INDEX experiments_of_project ON experiments (project_id, created_at DESC, id DESC);
CREATE INDEX experiments_of_site ON experiments (site_id) WHERE site_id IS NOT NULL;

-- The only transitions are draft → running → completed. A result and the owner of an experiment never change, and a design stays as started.
CREATE FUNCTION refuse_change_of_experiment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'experiment % cannot go from % to %', NEW.id, coalesce(OLD.status, 'nothing'), NEW.status USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER experiments_begin BEFORE INSERT ON experiments FOR EACH ROW WHEN (NEW.status = 'completed') EXECUTE FUNCTION refuse_change_of_experiment();
CREATE TRIGGER experiments_step BEFORE UPDATE ON experiments FOR EACH ROW
  WHEN (OLD.status = 'completed'
    OR (OLD.status, NEW.status) NOT IN (('draft', 'draft'), ('draft', 'running'), ('running', 'running'), ('running', 'completed'))
    OR OLD.started_at <> NEW.started_at
    OR (OLD.id, OLD.account_id, OLD.project_id, OLD.created_at) <> (NEW.id, NEW.account_id, NEW.project_id, NEW.created_at)
    OR (OLD.status <> 'draft' AND (OLD.design::text, OLD.assignment::text, OLD.pages::text, OLD.warnings::text)
      IS DISTINCT FROM (NEW.design::text, NEW.assignment::text, NEW.pages::text, NEW.warnings::text)))
  EXECUTE FUNCTION refuse_change_of_experiment();
