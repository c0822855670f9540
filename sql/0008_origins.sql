-- Automated fixes that went live through a content management system, and whether they were taken back.
CREATE TABLE interventions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  url text NOT NULL CHECK (url <> ''),
  connector text NOT NULL CHECK (connector <> ''),
  summary text NOT NULL CHECK (summary <> ''),
  deployed_at timestamptz NOT NULL,
  rolled_back_at timestamptz CHECK (rolled_back_at >= deployed_at),
  reason text CHECK (reason <> ''),
  CHECK (reason IS NULL OR rolled_back_at IS NOT NULL)
);
CREATE INDEX interventions_project ON interventions (project_id, deployed_at);

-- Which domains referred to a site at one time.
CREATE TABLE backlink_snapshots (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  taken_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, taken_at)
);
CREATE TABLE referring_domains (
  project_id uuid NOT NULL,
  taken_at timestamptz NOT NULL,
  domain text NOT NULL CHECK (domain <> '' AND domain = lower(domain)),
  authority double precision NOT NULL CHECK (authority BETWEEN 0 AND 100),
  PRIMARY KEY (project_id, taken_at, domain),
  FOREIGN KEY (project_id, taken_at) REFERENCES backlink_snapshots ON DELETE CASCADE
);

-- What AI engines said of a site's brand at one time, in points; null where it was not measured.
CREATE TABLE visibility_snapshots (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  engine text NOT NULL CHECK (engine <> ''),
  taken_at timestamptz NOT NULL,
  sentiment double precision CHECK (sentiment BETWEEN -100 AND 100),
  citation_rate double precision CHECK (citation_rate BETWEEN 0 AND 100),
  PRIMARY KEY (project_id, engine, taken_at),
  CHECK (sentiment IS NOT NULL OR citation_rate IS NOT NULL)
);
