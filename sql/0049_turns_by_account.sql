-- Leased work takes turns by account: after the account that was served last comes the next one that has something waiting, in the order of their ids,
-- and after the last of them the first.
CREATE TABLE queue_turns (
  queue text PRIMARY KEY,
  -- The account that was served last.
  last uuid NOT NULL
);
INSERT INTO queue_turns (queue, last)
SELECT queue, '00000000-0000-0000-0000-000000000000'
FROM unnest(ARRAY['imports', 'site health runs', 'site health schedules', 'audits by lighthouse', 'audits by psi', 'synchronisations']) AS queue;

-- What waits of an account, and which import of a project is the first: both are found without reading what waits behind.
CREATE INDEX ranking_uploads_turns ON ranking_uploads (account_id, created_at) WHERE status = 'queued';
CREATE INDEX ranking_uploads_order ON ranking_uploads (project_id, created_at, id) WHERE status IN ('queued', 'running');
DROP INDEX ranking_uploads_due;
CREATE INDEX site_health_runs_turns ON site_health_runs (account_id, created_at) WHERE finished_at IS NULL;
CREATE INDEX site_health_schedules_turns ON site_health_schedules (account_id, next_at);
DROP INDEX site_health_schedules_account;
CREATE INDEX audit_schedules_turns ON audit_schedules (source, account_id, next_at);
