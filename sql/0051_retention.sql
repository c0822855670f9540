-- What an operator does not keep for ever is found by its age.
CREATE INDEX site_health_runs_age ON site_health_runs (finished_at, id) WHERE finished_at IS NOT NULL;
CREATE INDEX audits_age ON audits (created_at, id);
CREATE INDEX ranking_uploads_age ON ranking_uploads (finished_at, id) WHERE finished_at IS NOT NULL;

-- Idempotency keys have no end: a run that one stands for stays, and answers a replay, without its result.
ALTER TABLE site_health_runs DROP CONSTRAINT site_health_runs_check3,
  ADD CHECK (result IS NULL OR status IN ('completed', 'partial'));
DROP TRIGGER site_health_runs_final ON site_health_runs;
CREATE TRIGGER site_health_runs_final BEFORE UPDATE ON site_health_runs FOR EACH ROW
  WHEN (OLD.finished_at IS NOT NULL AND NOT (
    OLD.result IS NOT NULL AND NEW.result IS NULL
    AND (NEW.id, NEW.account_id, NEW.project_id, NEW.url, NEW.max_pages, NEW.check_dead_links, NEW.status, NEW.phase, NEW.created_at,
        NEW.started_at, NEW.finished_at, NEW.counters::text, NEW.error::text, NEW.verify, NEW.verify_rules::text)
      IS NOT DISTINCT FROM
        (OLD.id, OLD.account_id, OLD.project_id, OLD.url, OLD.max_pages, OLD.check_dead_links, OLD.status, OLD.phase, OLD.created_at,
        OLD.started_at, OLD.finished_at, OLD.counters::text, OLD.error::text, OLD.verify, OLD.verify_rules::text)))
  EXECUTE FUNCTION refuse_change_of_final_run();
