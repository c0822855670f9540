CREATE TABLE site_health_runs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  url text NOT NULL,
  max_pages integer NOT NULL CHECK (max_pages BETWEEN 1 AND 50),
  check_dead_links boolean NOT NULL,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'completed', 'partial', 'failed', 'cancelled')),
  phase text NOT NULL DEFAULT 'queued' CHECK (phase IN ('queued', 'preparing', 'crawling', 'analysing', 'finished')),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(), started_at timestamptz, finished_at timestamptz,
  counters json, error json,
  -- The retention setting may remove an old result while the run stays: idempotency keys have no end, and the run of a key answers a replay without its result.
  result json,
  -- The lease of the worker that executes the run; nobody else may write to the run.
  lease uuid, leased_until timestamptz,
  -- Attempts since the last end, as in all leased work: this many workers may die on the run in a row.
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- A recheck of another run's issues, of some checks or (null) of all.
  verify uuid REFERENCES site_health_runs ON DELETE CASCADE,
  verify_rules json,
  -- Whether a run requests linked pages of other sites.
  check_external_links boolean NOT NULL DEFAULT false,
  -- Whether a browser runs the scripts of pages: where scripts change something (auto), on every page, or never.
  render text NOT NULL DEFAULT 'auto' CHECK (render IN ('auto', 'always', 'never')),
  -- A run's values for lists and trends, which so need not read the result of megabytes: the score, the failing checks by severity, and the number of failing
  -- pages of each check (null if not checked). These values outlive the result.
  score json, score_version integer, findings json, rules json,
  -- The last crawled URL of a run in progress.
  last_url text,
  CHECK ((status = 'running') = (lease IS NOT NULL)), CHECK ((status = 'running') = (leased_until IS NOT NULL)),
  CHECK ((status IN ('completed', 'partial', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
  CHECK (result IS NULL OR status IN ('completed', 'partial')),
  CHECK ((status = 'failed') = (error IS NOT NULL)),
  CHECK (verify_rules IS NULL OR verify IS NOT NULL)
);
CREATE INDEX site_health_runs_list ON site_health_runs (project_id, created_at DESC, id DESC);
CREATE INDEX site_health_runs_quota ON site_health_runs (account_id, created_at DESC);
-- For runs that wait for a worker, waiting runs of an account, and runs with expired leases.
CREATE INDEX site_health_runs_due ON site_health_runs (created_at) WHERE finished_at IS NULL;
CREATE INDEX site_health_runs_turns ON site_health_runs (account_id, created_at) WHERE finished_at IS NULL;
CREATE INDEX site_health_runs_leased ON site_health_runs (leased_until) WHERE lease IS NOT NULL;
CREATE INDEX site_health_runs_verify ON site_health_runs (verify) WHERE verify IS NOT NULL;
-- For the removal of runs by age.
CREATE INDEX site_health_runs_age ON site_health_runs (finished_at, id) WHERE finished_at IS NOT NULL;
-- The runs of whole sites with a result, by project and by start URL. URLs can be longer than an index entry, so their digest is indexed.
CREATE INDEX site_health_runs_outcomes ON site_health_runs (project_id, created_at DESC, id DESC) WHERE findings IS NOT NULL AND verify IS NULL;
-- The latest failed crawl of a site, for lists of sites.
CREATE INDEX site_health_runs_failures ON site_health_runs (project_id, created_at DESC, id DESC) WHERE status = 'failed' AND verify IS NULL;
CREATE INDEX site_health_runs_starts ON site_health_runs (project_id, md5(url), created_at DESC, id DESC) WHERE findings IS NOT NULL AND verify IS NULL;

-- The columns `score` to `rules` of a result.
CREATE FUNCTION site_health_outcome(result json, OUT score json, OUT score_version integer, OUT findings json, OUT rules json)
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN s ->> 'aggregate_score' IS NOT NULL THEN json_build_object('aggregate_score', s -> 'aggregate_score', 'status', s -> 'status',
      'coverage', s -> 'coverage', 'range', json_build_object('low', s #> '{range,low}', 'high', s #> '{range,high}'),
      -- Version 1 lacks `provisional`: a score is provisional when the ends of its range have different statuses.
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
CREATE FUNCTION keep_site_health_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT o.score, o.score_version, o.findings, o.rules INTO NEW.score, NEW.score_version, NEW.findings, NEW.rules FROM site_health_outcome(NEW.result) AS o;
  RETURN NEW;
END $$;
CREATE TRIGGER site_health_runs_outcome BEFORE UPDATE ON site_health_runs FOR EACH ROW
  WHEN (OLD.result IS NULL AND NEW.result IS NOT NULL) EXECUTE FUNCTION keep_site_health_outcome();
CREATE TRIGGER site_health_runs_outcome_of_new BEFORE INSERT ON site_health_runs FOR EACH ROW
  WHEN (NEW.result IS NOT NULL) EXECUTE FUNCTION keep_site_health_outcome();

-- Final states never change; only the result may be removed.
CREATE FUNCTION refuse_change_of_final_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'site health run % is %, which is final', OLD.id, OLD.status;
END $$;
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

-- Removed runs of the last hour, which count against the hour's quota like existing ones.
CREATE TABLE site_health_removed_runs (account_id uuid NOT NULL, created_at timestamptz NOT NULL);
CREATE INDEX site_health_removed_runs_account ON site_health_removed_runs (account_id, created_at);
CREATE FUNCTION remember_site_health_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM site_health_removed_runs WHERE created_at < clock_timestamp() - interval '1 day';
  INSERT INTO site_health_removed_runs (account_id, created_at)
  SELECT account_id, created_at FROM removed
  WHERE created_at > clock_timestamp() - interval '1 hour' AND EXISTS (SELECT FROM accounts WHERE id = account_id);
  RETURN NULL;
END $$;
CREATE TRIGGER site_health_runs_removed AFTER DELETE ON site_health_runs REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION remember_site_health_runs();

-- When an account started its runs of the last hour. Runs from before the clock was set back do not count for this hour.
CREATE FUNCTION site_health_starts(account uuid) RETURNS SETOF timestamptz LANGUAGE sql STABLE AS $$
  SELECT created_at FROM (
    SELECT account_id, created_at FROM site_health_runs UNION ALL SELECT account_id, created_at FROM site_health_removed_runs
  ) AS started
  -- The index finds the rows by the time of the statement.
  WHERE account_id = account AND created_at > statement_timestamp() - interval '1 hour'
    AND created_at > clock_timestamp() - interval '1 hour' AND created_at <= clock_timestamp()
$$;

-- Recurring runs. The text of the interval is kept as written.
CREATE TABLE site_health_schedules (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  every text NOT NULL, every_minutes integer NOT NULL CHECK (every_minutes BETWEEN 360 AND 43200),
  url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
  -- Null: the plan's limit when the run starts.
  max_pages integer CHECK (max_pages BETWEEN 1 AND 50),
  check_dead_links boolean NOT NULL,
  next_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_run_id uuid REFERENCES site_health_runs ON DELETE SET NULL,
  skipped_at timestamptz, skipped_reason text,
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease uuid, leased_until timestamptz CHECK ((lease IS NULL) = (leased_until IS NULL)),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  check_external_links boolean NOT NULL DEFAULT false,
  render text NOT NULL DEFAULT 'auto' CHECK (render IN ('auto', 'always', 'never')),
  CHECK ((skipped_at IS NULL) = (skipped_reason IS NULL))
);
CREATE INDEX site_health_schedules_list ON site_health_schedules (project_id, created_at, id);
CREATE INDEX site_health_schedules_turns ON site_health_schedules (account_id, next_at);
CREATE INDEX site_health_schedules_run ON site_health_schedules (last_run_id);
CREATE INDEX site_health_schedules_due ON site_health_schedules (next_at);
CREATE INDEX site_health_schedules_leased ON site_health_schedules (leased_until) WHERE lease IS NOT NULL;

-- The worker processes that are live, each with the path of the browser that its crawls render with, the browser's own words for its version, or the reason
-- why it has no browser.
CREATE TABLE site_health_workers (
  id uuid PRIMARY KEY, leased_until timestamptz NOT NULL, browser text, browser_version text, browser_problem text
) WITH (fillfactor = 10);
