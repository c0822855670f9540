-- Sources of search data: imports of files, and Search Console.

CREATE TABLE ranking_imports (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  source text NOT NULL CHECK (source IN ('gsc-csv', 'gsc-api', 'bigquery', 'sync', 'drop-day', 'drop-snapshot')),
  first_day date, last_day date,
  rows bigint NOT NULL CHECK (rows >= 0), changed bigint NOT NULL CHECK (changed >= 0),
  dropped json NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  hash text,
  -- Days of the files that were left out because they were not final.
  incomplete_days json NOT NULL DEFAULT '[]',
  CHECK ((first_day IS NULL) = (last_day IS NULL))
);
CREATE INDEX ranking_imports_site ON ranking_imports (site_id, id);
CREATE INDEX ranking_imports_hash ON ranking_imports (site_id, hash);

-- Tables without dates: sums over a range of days by query, page, country or device. They are stored unchanged, separate from the facts of days.
CREATE TABLE ranking_range_snapshots (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('queries', 'pages', 'countries', 'devices')),
  -- Null if the file and its sender named no days.
  first_day date, last_day date,
  rows integer NOT NULL CHECK (rows > 0),
  -- Recognises the rows at a later import.
  digest bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((first_day IS NULL) = (last_day IS NULL)), CHECK (first_day <= last_day)
);
CREATE INDEX ranking_range_snapshots_list ON ranking_range_snapshots (project_id, created_at DESC, id DESC);

-- `place` counts from 1, in the order of the list: by clicks, impressions and key.
CREATE TABLE ranking_range_rows (
  snapshot_id uuid NOT NULL REFERENCES ranking_range_snapshots ON DELETE CASCADE,
  place integer NOT NULL CHECK (place > 0),
  key text NOT NULL,
  impressions bigint NOT NULL CHECK (impressions > 0), clicks bigint NOT NULL CHECK (clicks BETWEEN 0 AND impressions),
  sum_top numeric NOT NULL CHECK (sum_top >= impressions),
  PRIMARY KEY (snapshot_id, place)
);

-- The source of a site's synchronised data, and the time of the next fetch.
CREATE TABLE ranking_sources (
  site_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  property text NOT NULL,
  -- Ciphertext, bound to the site.
  credentials text NOT NULL CHECK (credentials LIKE 'v1.%'),
  every_hours integer CHECK (every_hours BETWEEN 1 AND 720),
  -- A requested synchronisation makes its source due immediately, even without a schedule.
  next_at timestamptz,
  attempts integer NOT NULL DEFAULT 0, failures integer NOT NULL DEFAULT 0,
  synced_at timestamptz, last_error text,
  -- The lease of the synchronising node; nobody else starts.
  lease uuid, leased_until timestamptz CHECK ((lease IS NULL) = (leased_until IS NULL)),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Google counts URL inspections by property, so only credentials that it accepts for the property may use its quota. One request at a time tries new
  -- credentials until one succeeds; a refusal pauses only these credentials.
  inspection_accepted boolean NOT NULL DEFAULT false,
  -- Refusals since the last acceptance; each makes the next pause longer.
  inspection_refusals integer NOT NULL DEFAULT 0 CHECK (inspection_refusals >= 0), inspection_paused_until timestamptz,
  -- The latest end of the request that tries the credentials; after a worker's death, the next one tries them.
  inspection_trial_until timestamptz
);
CREATE INDEX ranking_sources_due ON ranking_sources (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX ranking_sources_turns ON ranking_sources (account_id, next_at);
CREATE INDEX ranking_sources_leased ON ranking_sources (leased_until) WHERE lease IS NOT NULL;

-- Synchronisations. A source has one current synchronisation at a time.
CREATE TABLE ranking_syncs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  site_id uuid NOT NULL REFERENCES ranking_sources ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'completed', 'failed')),
  days integer NOT NULL CHECK (days > 0),
  days_done integer NOT NULL DEFAULT 0 CHECK (days_done >= 0),
  -- Unknown until a worker has found the missing days.
  days_total integer CHECK (days_total >= days_done),
  error json,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(), finished_at timestamptz,
  CHECK ((finished_at IS NULL) = (status IN ('queued', 'running'))),
  CHECK ((error IS NOT NULL) = (status = 'failed'))
);
CREATE UNIQUE INDEX ranking_syncs_open ON ranking_syncs (site_id) WHERE finished_at IS NULL;
CREATE INDEX ranking_syncs_ended ON ranking_syncs (site_id, finished_at);

-- Google's inspections, one row per URL of a project. A queued row keeps its last response until the next one.
CREATE TABLE inspections (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  url text NOT NULL,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'done', 'failed')),
  -- Google's response.
  verdict text, coverage_state text, indexing_state text,
  google_canonical text, user_canonical text,
  last_crawl_at timestamptz, inspected_at timestamptz, changed_at timestamptz,
  error json,
  -- The URL's state in the newest run that fetched it, at the time of queueing. Runs are removed independently.
  run_id uuid, indexability_state text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  queued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The earliest time of the next request: a quota is used up, or the last attempt failed temporarily.
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  tries integer NOT NULL DEFAULT 0 CHECK (tries >= 0), attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease uuid, leased_until timestamptz CHECK ((lease IS NULL) = (leased_until IS NULL)),
  CHECK ((error IS NOT NULL) = (status = 'failed'))
);
CREATE UNIQUE INDEX inspections_url ON inspections (project_id, md5(url));
CREATE INDEX inspections_list ON inspections (project_id, created_at DESC, id DESC);
CREATE INDEX inspections_due ON inspections (due_at) WHERE status = 'queued';
CREATE INDEX inspections_queue ON inspections (project_id, queued_at) WHERE status = 'queued';
CREATE INDEX inspections_leased ON inspections (leased_until) WHERE lease IS NOT NULL;

-- Requests about a property of Search Console from all accounts, because Google counts them by property. Days are Google's, in Pacific time.
CREATE TABLE inspection_quotas (
  property text PRIMARY KEY,
  day date NOT NULL, of_day integer NOT NULL,
  minute timestamptz NOT NULL, of_minute integer NOT NULL
);
