-- Experiments that are designed from the page totals that are stored. Each text of JSON stays as it was written, so that it can be compared.
-- `design`: what was asked for; `assignment`: how the service dealt the pages to the arms; `pages`: the pages of both arms, fixed by the start.
ALTER TABLE experiments
  ADD COLUMN design json,
  ADD COLUMN assignment json,
  ADD COLUMN pages json,
  ADD COLUMN site_id uuid GENERATED ALWAYS AS ((design ->> 'site_id')::uuid) STORED,
  ADD CHECK (status = 'draft' OR design IS NULL OR pages IS NOT NULL),
  ADD CHECK (assignment IS NULL OR design IS NOT NULL);
CREATE INDEX experiments_of_site ON experiments (site_id) WHERE site_id IS NOT NULL;

-- As in 0007, and a design stays as it was started.
DROP TRIGGER experiments_step ON experiments;
CREATE TRIGGER experiments_step BEFORE UPDATE ON experiments FOR EACH ROW
  WHEN (OLD.status = 'completed'
    OR (OLD.status, NEW.status) NOT IN
      (('draft', 'draft'), ('draft', 'running'), ('running', 'running'), ('running', 'completed'))
    OR OLD.started_at <> NEW.started_at
    OR (OLD.id, OLD.account_id, OLD.project_id, OLD.created_at) <> (NEW.id, NEW.account_id, NEW.project_id, NEW.created_at)
    OR (OLD.status <> 'draft' AND (OLD.design::text, OLD.assignment::text, OLD.pages::text)
      IS DISTINCT FROM (NEW.design::text, NEW.assignment::text, NEW.pages::text)))
  EXECUTE FUNCTION refuse_change_of_experiment();

-- A node of the release before knows no designs. Its statement that starts a draft finds no row where there is one, so that the draft waits for a
-- start that fixes its pages.
CREATE FUNCTION leave_designed_draft() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RETURN NULL;
END $$;
CREATE TRIGGER experiments_designed_draft BEFORE UPDATE ON experiments FOR EACH ROW
  WHEN (OLD.status = 'draft' AND NEW.status = 'running' AND NEW.design IS NOT NULL AND NEW.pages IS NULL)
  EXECUTE FUNCTION leave_designed_draft();

-- Of each day and level: when it was last imported, the formats that it comes from, and whether the API's limit of rows cut it off.
LOCK TABLE ranking_sites IN EXCLUSIVE MODE;
ALTER TABLE ranking_days
  ADD COLUMN imported_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ADD COLUMN sources text[] NOT NULL DEFAULT '{}',
  ADD COLUMN cut_off boolean NOT NULL DEFAULT false;

-- Which level an import was about was not kept, so of a day that is stored the newest import that spans it counts.
UPDATE ranking_days d SET imported_at = i.recorded_at, sources = ARRAY[i.source] FROM ranking_sites s CROSS JOIN LATERAL (
  SELECT DISTINCT ON (k.level, k.day) k.level, k.day, r.recorded_at, CASE r.source WHEN 'sync' THEN 'gsc-api' ELSE r.source END AS source
  FROM ranking_days k JOIN ranking_imports r ON r.site_id = s.site_id AND r.source <> 'drop-day' AND k.day BETWEEN r.first_day AND r.last_day
  WHERE k.site = s.number ORDER BY k.level, k.day, r.id DESC
) AS i WHERE d.site = s.number AND d.level = i.level AND d.day = i.day;
UPDATE ranking_days d SET cut_off = true FROM (
  SELECT site, day FROM ranking_page_facts GROUP BY site, day HAVING count(*) >= 50000
) AS f WHERE d.site = f.site AND d.level = 'pages' AND d.day = f.day AND d.sources && ARRAY['gsc-api'];
