-- Whether a run asks for pages of other sites that links lead to. Rows of earlier releases did not, nor do those that their nodes still write.
ALTER TABLE site_health_runs ADD COLUMN check_external_links boolean NOT NULL DEFAULT false;
ALTER TABLE site_health_schedules ADD COLUMN check_external_links boolean NOT NULL DEFAULT false;

-- What a final run was asked to do stays as it is.
DROP TRIGGER site_health_runs_final ON site_health_runs;
CREATE TRIGGER site_health_runs_final BEFORE UPDATE ON site_health_runs FOR EACH ROW
  WHEN (OLD.finished_at IS NOT NULL AND NOT (
    OLD.result IS NOT NULL AND NEW.result IS NULL
    AND (NEW.id, NEW.account_id, NEW.project_id, NEW.url, NEW.max_pages, NEW.check_dead_links, NEW.check_external_links, NEW.status,
        NEW.phase, NEW.created_at, NEW.started_at, NEW.finished_at, NEW.counters::text, NEW.error::text, NEW.verify, NEW.verify_rules::text)
      IS NOT DISTINCT FROM
        (OLD.id, OLD.account_id, OLD.project_id, OLD.url, OLD.max_pages, OLD.check_dead_links, OLD.check_external_links, OLD.status,
        OLD.phase, OLD.created_at, OLD.started_at, OLD.finished_at, OLD.counters::text, OLD.error::text, OLD.verify, OLD.verify_rules::text)))
  EXECUTE FUNCTION refuse_change_of_final_run();
