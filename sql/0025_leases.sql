-- All leased work counts its attempts in the row, from the last end on: so many workers may die over it in a row.
ALTER TABLE site_health_runs ADD COLUMN attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0);
UPDATE site_health_runs SET attempts = 1 WHERE status = 'running';
UPDATE ranking_sources SET attempts = CASE WHEN lease IS NULL THEN 0 ELSE 1 END;

-- What waits for a worker, and whose worker stopped renewing.
CREATE INDEX site_health_runs_due ON site_health_runs (created_at) WHERE finished_at IS NULL;
DROP INDEX site_health_runs_queue;
CREATE INDEX site_health_runs_leased ON site_health_runs (leased_until) WHERE lease IS NOT NULL;
DROP INDEX site_health_runs_leases;
CREATE INDEX audit_schedules_leased ON audit_schedules (leased_until) WHERE lease IS NOT NULL;
CREATE INDEX ranking_sources_leased ON ranking_sources (leased_until) WHERE lease IS NOT NULL;
