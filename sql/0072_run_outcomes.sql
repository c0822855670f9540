-- What lists and trends say of a run, so that they need not read its result, which may be megabytes: the score, the failing rules by severity, and of
-- each rule how many pages fail it (null where it was not assessed). They outlive the result.
CREATE FUNCTION site_health_outcome(result json, OUT score json, OUT score_version integer, OUT findings json, OUT rules json)
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN s ->> 'aggregate_score' IS NOT NULL THEN json_build_object('aggregate_score', s -> 'aggregate_score', 'status', s -> 'status',
      'coverage', s -> 'coverage', 'range', json_build_object('low', s #> '{range,low}', 'high', s #> '{range,high}'),
      -- Version 1 does not say it: the ends of the range have different statuses.
      'provisional', coalesce((s ->> 'provisional')::boolean, width_bucket((s #>> '{range,low}')::integer, ARRAY[50, 90])
        <> width_bucket((s #>> '{range,high}')::integer, ARRAY[50, 90]), false)) END,
    CASE WHEN s ->> 'aggregate_score' IS NOT NULL THEN coalesce((s ->> 'score_version')::integer, 1) END,
    counted.findings, counted.rules
  FROM (SELECT result -> 'score') AS given(s), LATERAL (
    SELECT json_build_object('critical', count(*) FILTER (WHERE fails AND severity = 'critical'), 'warning', count(*) FILTER (WHERE fails AND severity = 'warning'),
        'info', count(*) FILTER (WHERE fails AND severity = 'info')) AS findings,
      coalesce(json_object_agg(rule, CASE status WHEN 'fail' THEN count WHEN 'pass' THEN 0 END ORDER BY place), '{}') AS rules
    FROM (
      SELECT f ->> 'rule' AS rule, f ->> 'severity' AS severity, f ->> 'status' AS status, f ->> 'status' = 'fail' AS fails,
        (f ->> 'count')::integer AS count, place
      FROM json_array_elements(result -> 'findings') WITH ORDINALITY AS list(f, place)
    ) AS each
  ) AS counted
$$;

DROP TRIGGER site_health_runs_final ON site_health_runs;
ALTER TABLE site_health_runs
  ADD COLUMN score json,
  ADD COLUMN score_version integer,
  ADD COLUMN findings json,
  ADD COLUMN rules json,
  -- The URL that was read last, while the run is in progress.
  ADD COLUMN last_url text;

UPDATE site_health_runs r SET (score, score_version, findings, rules) = (SELECT o.score, o.score_version, o.findings, o.rules FROM site_health_outcome(r.result) AS o)
WHERE result IS NOT NULL;

-- Nodes of the release before, which know nothing of these columns, fill them too.
CREATE FUNCTION keep_site_health_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT o.score, o.score_version, o.findings, o.rules INTO NEW.score, NEW.score_version, NEW.findings, NEW.rules FROM site_health_outcome(NEW.result) AS o;
  RETURN NEW;
END $$;
CREATE TRIGGER site_health_runs_outcome BEFORE UPDATE ON site_health_runs FOR EACH ROW
  WHEN (OLD.result IS NULL AND NEW.result IS NOT NULL) EXECUTE FUNCTION keep_site_health_outcome();
CREATE TRIGGER site_health_runs_outcome_of_new BEFORE INSERT ON site_health_runs FOR EACH ROW
  WHEN (NEW.result IS NOT NULL) EXECUTE FUNCTION keep_site_health_outcome();

CREATE TRIGGER site_health_runs_final BEFORE UPDATE ON site_health_runs FOR EACH ROW
  WHEN (OLD.finished_at IS NOT NULL AND NOT (
    OLD.result IS NOT NULL AND NEW.result IS NULL
    AND (NEW.id, NEW.account_id, NEW.project_id, NEW.url, NEW.max_pages, NEW.check_dead_links, NEW.status, NEW.phase, NEW.created_at,
        NEW.started_at, NEW.finished_at, NEW.counters::text, NEW.error::text, NEW.verify, NEW.verify_rules::text, NEW.score::text, NEW.score_version,
        NEW.findings::text, NEW.rules::text)
      IS NOT DISTINCT FROM
        (OLD.id, OLD.account_id, OLD.project_id, OLD.url, OLD.max_pages, OLD.check_dead_links, OLD.status, OLD.phase, OLD.created_at,
        OLD.started_at, OLD.finished_at, OLD.counters::text, OLD.error::text, OLD.verify, OLD.verify_rules::text, OLD.score::text, OLD.score_version,
        OLD.findings::text, OLD.rules::text)))
  EXECUTE FUNCTION refuse_change_of_final_run();

-- The runs of a whole site that had a result, of a project and of one start. Addresses can be longer than an index entry: their digest stands for them.
CREATE INDEX site_health_runs_outcomes ON site_health_runs (project_id, created_at DESC, id DESC) WHERE findings IS NOT NULL AND verify IS NULL;
CREATE INDEX site_health_runs_starts ON site_health_runs (project_id, md5(url), created_at DESC, id DESC) WHERE findings IS NOT NULL AND verify IS NULL;
