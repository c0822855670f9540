-- A synchronisation that is asked for makes its source due at once, also one without a schedule.
ALTER TABLE ranking_sources DROP CONSTRAINT ranking_sources_check1;

-- Synchronisations, of which a source has one at a time that is not over.
CREATE TABLE ranking_syncs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  site_id uuid NOT NULL REFERENCES ranking_sources ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'completed', 'failed')),
  days integer NOT NULL CHECK (days > 0),
  days_done integer NOT NULL DEFAULT 0 CHECK (days_done >= 0),
  -- Unknown until a worker has looked which days are missing.
  days_total integer CHECK (days_total >= days_done),
  error json,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz,
  CHECK ((finished_at IS NULL) = (status IN ('queued', 'running'))),
  CHECK ((error IS NOT NULL) = (status = 'failed'))
);
CREATE UNIQUE INDEX ranking_syncs_open ON ranking_syncs (site_id) WHERE finished_at IS NULL;
CREATE INDEX ranking_syncs_ended ON ranking_syncs (site_id, finished_at);
