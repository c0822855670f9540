-- Files that were sent to be imported. They wait here, in pieces, so that any node may take them; the pieces go when the import ends.
CREATE TABLE ranking_uploads (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- While a file is being received nobody sees it.
  status text NOT NULL DEFAULT 'receiving' CHECK (status IN ('receiving', 'queued', 'running', 'completed', 'failed')),
  format text NOT NULL CHECK (format IN ('gsc-csv', 'gsc-api', 'bigquery')),
  date date,
  dimensions text,
  property text,
  replaces boolean NOT NULL,
  hash text,
  -- What came of it, written by the transaction that imports: a worker that dies afterwards leaves it to the next one.
  outcome json,
  error json,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- When the last piece came.
  touched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz,
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease uuid,
  leased_until timestamptz,
  CHECK ((status = 'receiving') = (hash IS NULL)),
  CHECK ((status = 'running') = (lease IS NOT NULL)),
  CHECK ((lease IS NULL) = (leased_until IS NULL)),
  CHECK ((status IN ('completed', 'failed')) = (finished_at IS NOT NULL)),
  CHECK ((status = 'failed') = (error IS NOT NULL)),
  CHECK (status <> 'completed' OR outcome IS NOT NULL)
);
CREATE INDEX ranking_uploads_list ON ranking_uploads (project_id, created_at DESC, id DESC);
CREATE INDEX ranking_uploads_open ON ranking_uploads (account_id) WHERE finished_at IS NULL;
CREATE INDEX ranking_uploads_due ON ranking_uploads (created_at) WHERE status = 'queued';
CREATE INDEX ranking_uploads_leased ON ranking_uploads (leased_until) WHERE lease IS NOT NULL;

CREATE TABLE ranking_upload_pieces (
  upload uuid NOT NULL REFERENCES ranking_uploads ON DELETE CASCADE,
  number integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (upload, number)
);
-- Most files are compressed already.
ALTER TABLE ranking_upload_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL;
