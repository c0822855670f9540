-- What Google says of URLs, one row for each of a project. A row that is queued keeps its last answer until the next one is there.
CREATE TABLE inspections (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  url text NOT NULL,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'done', 'failed')),
  -- The answer.
  verdict text,
  coverage_state text,
  indexing_state text,
  google_canonical text,
  user_canonical text,
  last_crawl_at timestamptz,
  inspected_at timestamptz,
  changed_at timestamptz,
  error json,
  -- What the newest run that fetched it said, when it was queued. Runs go by themselves.
  run_id uuid,
  indexability_state text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  queued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Not before: a quota is used up, or the last try failed for a reason that passes.
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease uuid,
  leased_until timestamptz,
  CHECK ((lease IS NULL) = (leased_until IS NULL)),
  CHECK ((error IS NOT NULL) = (status = 'failed'))
);
CREATE UNIQUE INDEX inspections_url ON inspections (project_id, md5(url));
CREATE INDEX inspections_list ON inspections (project_id, created_at DESC, id DESC);
CREATE INDEX inspections_due ON inspections (due_at) WHERE status = 'queued';
CREATE INDEX inspections_queue ON inspections (project_id, queued_at) WHERE status = 'queued';
CREATE INDEX inspections_leased ON inspections (leased_until) WHERE lease IS NOT NULL;

-- Requests about a property of Search Console, whoever asks: Google counts them by property. Days are Google's, in Pacific time.
CREATE TABLE inspection_quotas (
  property text PRIMARY KEY,
  day date NOT NULL,
  of_day integer NOT NULL,
  minute timestamptz NOT NULL,
  of_minute integer NOT NULL,
  paused_until timestamptz
);
