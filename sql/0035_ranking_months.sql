-- Sums of facts by day, and by month for each page and each query, so that a long range is read from a few rows a text. The triggers below keep
-- them: whatever adds, corrects or takes away facts keeps the sums right in the same transaction.

-- No import is under way from here on, nor are facts locked by one: imports take their lock here first.
LOCK TABLE ranking_sites IN EXCLUSIVE MODE;
SET LOCAL work_mem = '64MB';
SET LOCAL jit = off;

ALTER TABLE ranking_days ADD COLUMN impressions bigint NOT NULL DEFAULT 0, ADD COLUMN clicks bigint NOT NULL DEFAULT 0,
  ADD COLUMN sum_top numeric NOT NULL DEFAULT 0;

-- Pairs that share a query share its number, which is made of the text.
CREATE FUNCTION ranking_query_number(text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN ('x' || left(md5($1), 16))::bit(64)::bigint;
ALTER TABLE ranking_pairs ADD COLUMN query_number bigint GENERATED ALWAYS AS (ranking_query_number(query)) STORED;
CREATE INDEX ranking_pairs_query ON ranking_pairs (site, query_number);

CREATE FUNCTION ranking_month(date) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN $1 - (extract(day FROM $1)::integer - 1);

-- `key` is the number of a query; of `ranking_page_months`, a page. Only what counts for the whole is in it (`counts & 1 = 1`).
CREATE TABLE ranking_query_months (
  site integer NOT NULL,
  key bigint NOT NULL,
  month date NOT NULL,
  impressions bigint NOT NULL CHECK (impressions > 0),
  clicks bigint NOT NULL CHECK (clicks BETWEEN 0 AND impressions),
  sum_top numeric NOT NULL CHECK (sum_top >= impressions)
);
CREATE TABLE ranking_page_months (LIKE ranking_query_months INCLUDING ALL);

INSERT INTO ranking_query_months
SELECT f.site, p.query_number, ranking_month(f.day), sum(f.impressions), sum(f.clicks), sum(f.sum_top)
FROM ranking_query_facts f JOIN ranking_pairs p ON p.site = f.site AND p.id = f.key WHERE f.counts & 1 = 1 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
INSERT INTO ranking_page_months
SELECT site, key, ranking_month(day), sum(impressions), sum(clicks), sum(sum_top)
FROM ranking_page_facts WHERE counts & 1 = 1 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
ALTER TABLE ranking_query_months ADD PRIMARY KEY (site, key, month);
ALTER TABLE ranking_page_months ADD PRIMARY KEY (site, key, month);
-- The most shown of a month come first; what is beyond a bound need not be looked at.
CREATE INDEX ranking_query_months_most ON ranking_query_months (site, month, impressions);
CREATE INDEX ranking_page_months_most ON ranking_page_months (site, month, impressions);

UPDATE ranking_days d SET impressions = f.impressions, clicks = f.clicks, sum_top = f.sum_top FROM (
  SELECT 'queries' AS level, site, day, sum(impressions) AS impressions, sum(clicks) AS clicks, sum(sum_top) AS sum_top
  FROM ranking_query_facts WHERE counts & 1 = 1 GROUP BY site, day
  UNION ALL
  SELECT 'pages', site, day, sum(impressions), sum(clicks), sum(sum_top) FROM ranking_page_facts WHERE counts & 1 = 1 GROUP BY site, day
  UNION ALL
  SELECT 'property', site, day, sum(impressions), sum(clicks), sum(sum_top) FROM ranking_property_facts WHERE counts & 1 = 1 GROUP BY site, day
) AS f WHERE d.level = f.level AND d.site = f.site AND d.day = f.day;

-- The planner may loop here: the sums of a small import are few among many, whatever imports are set to.
CREATE FUNCTION ranking_facts_added() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = on AS $$
BEGIN
  INSERT INTO ranking_days AS d (site, level, day, whole, impressions, clicks, sum_top)
  SELECT site, TG_ARGV[0], day, false, sum(impressions), sum(clicks), sum(sum_top) FROM added WHERE counts & 1 = 1 GROUP BY site, day
  ON CONFLICT (site, level, day) DO UPDATE
  SET impressions = d.impressions + excluded.impressions, clicks = d.clicks + excluded.clicks, sum_top = d.sum_top + excluded.sum_top;
  IF TG_ARGV[0] = 'queries' THEN
    INSERT INTO ranking_query_months AS m (site, key, month, impressions, clicks, sum_top)
    SELECT f.site, p.query_number, f.month, sum(f.impressions), sum(f.clicks), sum(f.sum_top) FROM (
      SELECT site, key, ranking_month(day) AS month, sum(impressions) AS impressions, sum(clicks) AS clicks, sum(sum_top) AS sum_top
      FROM added WHERE counts & 1 = 1 GROUP BY 1, 2, 3
    ) AS f JOIN ranking_pairs p ON p.site = f.site AND p.id = f.key GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (site, key, month) DO UPDATE
    SET impressions = m.impressions + excluded.impressions, clicks = m.clicks + excluded.clicks, sum_top = m.sum_top + excluded.sum_top;
  ELSIF TG_ARGV[0] = 'pages' THEN
    INSERT INTO ranking_page_months AS m (site, key, month, impressions, clicks, sum_top)
    SELECT site, key, ranking_month(day), sum(impressions), sum(clicks), sum(sum_top)
    FROM added WHERE counts & 1 = 1 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (site, key, month) DO UPDATE
    SET impressions = m.impressions + excluded.impressions, clicks = m.clicks + excluded.clicks, sum_top = m.sum_top + excluded.sum_top;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION ranking_facts_removed() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = on AS $$
BEGIN
  UPDATE ranking_days d
  SET impressions = d.impressions - f.impressions, clicks = d.clicks - f.clicks, sum_top = d.sum_top - f.sum_top
  FROM (
    SELECT site, day, sum(impressions) AS impressions, sum(clicks) AS clicks, sum(sum_top) AS sum_top
    FROM removed WHERE counts & 1 = 1 GROUP BY site, day
  ) AS f WHERE d.site = f.site AND d.level = TG_ARGV[0] AND d.day = f.day;
  IF TG_ARGV[0] = 'queries' THEN
    MERGE INTO ranking_query_months m USING (
      SELECT f.site, p.query_number AS key, ranking_month(f.day) AS month, sum(f.impressions) AS impressions, sum(f.clicks) AS clicks, sum(f.sum_top) AS sum_top
      FROM removed f JOIN ranking_pairs p ON p.site = f.site AND p.id = f.key WHERE f.counts & 1 = 1 GROUP BY 1, 2, 3
    ) AS f ON m.site = f.site AND m.key = f.key AND m.month = f.month
    WHEN MATCHED AND m.impressions = f.impressions THEN DELETE
    WHEN MATCHED THEN UPDATE SET impressions = m.impressions - f.impressions, clicks = m.clicks - f.clicks, sum_top = m.sum_top - f.sum_top;
  ELSIF TG_ARGV[0] = 'pages' THEN
    MERGE INTO ranking_page_months m USING (
      SELECT site, key, ranking_month(day) AS month, sum(impressions) AS impressions, sum(clicks) AS clicks, sum(sum_top) AS sum_top
      FROM removed WHERE counts & 1 = 1 GROUP BY 1, 2, 3
    ) AS f ON m.site = f.site AND m.key = f.key AND m.month = f.month
    WHEN MATCHED AND m.impressions = f.impressions THEN DELETE
    WHEN MATCHED THEN UPDATE SET impressions = m.impressions - f.impressions, clicks = m.clicks - f.clicks, sum_top = m.sum_top - f.sum_top;
  END IF;
  RETURN NULL;
END $$;

-- A correction adds the new number before it takes the old one away (triggers fire in the order of their names), so that no sum is gone in between.
DO $$
DECLARE
  level text;
  facts text;
BEGIN
  FOREACH level IN ARRAY ARRAY['queries', 'pages', 'property'] LOOP
    facts := 'ranking_' || CASE level WHEN 'queries' THEN 'query' WHEN 'pages' THEN 'page' ELSE level END || '_facts';
    EXECUTE format('CREATE TRIGGER sums_added AFTER INSERT ON %I REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION ranking_facts_added(%L)', facts, level);
    EXECUTE format('CREATE TRIGGER sums_corrected_added AFTER UPDATE ON %I REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION ranking_facts_added(%L)', facts, level);
    EXECUTE format('CREATE TRIGGER sums_corrected_removed AFTER UPDATE ON %I REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION ranking_facts_removed(%L)', facts, level);
    EXECUTE format('CREATE TRIGGER sums_removed AFTER DELETE ON %I REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION ranking_facts_removed(%L)', facts, level);
  END LOOP;
END $$;
