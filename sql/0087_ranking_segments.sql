-- Sums by day, and by month for each page and each query, of each device and each country: a segment of a site. The triggers below keep them as those of
-- 0035 keep the sums of the whole. Facts without device and country cost one look at what was added.

-- No import is under way from here on, nor are facts locked by one: imports take their lock here first.
LOCK TABLE ranking_sites IN EXCLUSIVE MODE;
SET LOCAL work_mem = '64MB';
SET LOCAL jit = off;

CREATE TABLE ranking_segments (
  site integer NOT NULL REFERENCES ranking_sites (number) ON DELETE CASCADE,
  id integer NOT NULL,
  device text,
  country text,
  PRIMARY KEY (site, id),
  UNIQUE (site, device),
  UNIQUE (site, country),
  CHECK (num_nonnulls(device, country) = 1)
);

-- The segments that the facts of a variant belong to, with the bit of `counts` of those that are added up to them.
CREATE VIEW ranking_variant_segments AS
SELECT v.site, v.id AS variant, s.id AS segment, 4 AS bit FROM ranking_variants v JOIN ranking_segments s ON s.site = v.site AND s.device = v.device
UNION ALL
SELECT v.site, v.id, s.id, 2 FROM ranking_variants v JOIN ranking_segments s ON s.site = v.site AND s.country = v.country;

-- Segments get their numbers with the first variant that has them. The lock of the site keeps others from adding any meanwhile.
CREATE FUNCTION number_ranking_segments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ranking_segments (site, id, device, country)
  SELECT n.site, coalesce((SELECT max(s.id) FROM ranking_segments s WHERE s.site = n.site), 0)
    + row_number() OVER (PARTITION BY n.site ORDER BY n.device, n.country), n.device, n.country
  FROM (
    SELECT site, device, NULL::text AS country FROM added WHERE device IS NOT NULL
    UNION SELECT site, NULL, country FROM added WHERE country IS NOT NULL
  ) AS n
  WHERE NOT EXISTS (SELECT FROM ranking_segments s WHERE s.site = n.site AND s.device = n.device)
    AND NOT EXISTS (SELECT FROM ranking_segments s WHERE s.site = n.site AND s.country = n.country);
  RETURN NULL;
END $$;
CREATE TRIGGER segments_numbered AFTER INSERT ON ranking_variants REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION number_ranking_segments();

-- What a table of facts adds up to, as the text of a statement. A fact belongs to two segments, mostly: what has a variant in common is added up before that.
CREATE FUNCTION ranking_sums_by_day(facts text, level text) RETURNS text LANGUAGE sql STABLE
  RETURN format('
    SELECT f.site, s.segment, %L AS level, f.day, sum(f.impressions) AS impressions, sum(f.clicks) AS clicks, sum(f.sum_top) AS sum_top FROM (
      SELECT site, day, variant, counts, sum(impressions) AS impressions, sum(clicks) AS clicks, sum(sum_top) AS sum_top
      FROM %I WHERE counts & 6 <> 0 GROUP BY 1, 2, 3, 4
    ) AS f JOIN ranking_variant_segments s ON s.site = f.site AND s.variant = f.variant AND f.counts & s.bit <> 0
    GROUP BY 1, 2, 4 ORDER BY 1, 2, 4', level, facts);
CREATE FUNCTION ranking_sums_by_month(facts text, level text) RETURNS text LANGUAGE sql STABLE
  RETURN format('
    SELECT f.site, s.segment, f.key, f.month, sum(f.impressions) AS impressions, sum(f.clicks) AS clicks, sum(f.sum_top) AS sum_top FROM (
      SELECT f.site, %s AS key, ranking_month(f.day) AS month, f.variant, f.counts, sum(f.impressions) AS impressions, sum(f.clicks) AS clicks,
        sum(f.sum_top) AS sum_top
      FROM %I f %s WHERE f.counts & 6 <> 0 GROUP BY 1, 2, 3, 4, 5
    ) AS f JOIN ranking_variant_segments s ON s.site = f.site AND s.variant = f.variant AND f.counts & s.bit <> 0
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4',
    CASE level WHEN 'queries' THEN 'p.query_number' ELSE 'f.key' END, facts,
    CASE level WHEN 'queries' THEN 'JOIN ranking_pairs p ON p.site = f.site AND p.id = f.key' END);

CREATE TABLE ranking_segment_days (
  site integer NOT NULL,
  segment integer NOT NULL,
  level text NOT NULL CHECK (level IN ('queries', 'pages', 'property')),
  day date NOT NULL,
  impressions bigint NOT NULL CHECK (impressions > 0),
  clicks bigint NOT NULL CHECK (clicks BETWEEN 0 AND impressions),
  sum_top numeric NOT NULL CHECK (sum_top >= impressions)
);
-- `key` is the number of a query; of `ranking_page_segments`, a page. Columns are in the order that wastes no room.
CREATE TABLE ranking_query_segments (
  site integer NOT NULL,
  segment integer NOT NULL,
  key bigint NOT NULL,
  impressions bigint NOT NULL CHECK (impressions > 0),
  clicks bigint NOT NULL CHECK (clicks BETWEEN 0 AND impressions),
  month date NOT NULL,
  sum_top numeric NOT NULL CHECK (sum_top >= impressions)
);
CREATE TABLE ranking_page_segments (LIKE ranking_query_segments INCLUDING ALL);

INSERT INTO ranking_segments (site, id, device, country)
SELECT site, row_number() OVER (PARTITION BY site ORDER BY device, country), device, country FROM (
  SELECT site, device, NULL::text AS country FROM ranking_variants WHERE device IS NOT NULL
  UNION SELECT site, NULL, country FROM ranking_variants WHERE country IS NOT NULL
) AS n;
ANALYZE ranking_variants, ranking_segments;
DO $$
DECLARE
  kind record;
BEGIN
  FOR kind IN SELECT * FROM (VALUES ('queries', 'ranking_query_facts'), ('pages', 'ranking_page_facts'), ('property', 'ranking_property_facts')) AS k (level, facts) LOOP
    EXECUTE 'INSERT INTO ranking_segment_days (site, segment, level, day, impressions, clicks, sum_top) ' || ranking_sums_by_day(kind.facts, kind.level);
  END LOOP;
  EXECUTE 'INSERT INTO ranking_query_segments (site, segment, key, month, impressions, clicks, sum_top) ' || ranking_sums_by_month('ranking_query_facts', 'queries');
  EXECUTE 'INSERT INTO ranking_page_segments (site, segment, key, month, impressions, clicks, sum_top) ' || ranking_sums_by_month('ranking_page_facts', 'pages');
END $$;
ALTER TABLE ranking_segment_days ADD PRIMARY KEY (site, segment, level, day);
ALTER TABLE ranking_query_segments ADD PRIMARY KEY (site, segment, key, month);
ALTER TABLE ranking_page_segments ADD PRIMARY KEY (site, segment, key, month);
-- The most shown of a segment's month come first, and one look says whether a month has anything.
CREATE INDEX ranking_query_segments_most ON ranking_query_segments (site, month, segment, impressions);
CREATE INDEX ranking_page_segments_most ON ranking_page_segments (site, month, segment, impressions);
-- Until autovacuum comes by, tables of these sums would be read by plans for small ones.
ANALYZE ranking_segment_days, ranking_query_segments, ranking_page_segments;

-- Statements are texts, so that each is planned for the facts that there are. Sums of months that a site had nothing of are added without a look for what
-- may be there.
CREATE FUNCTION ranking_segments_added() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = on SET enable_mergejoin = off AS $$
DECLARE
  months text := CASE TG_ARGV[0] WHEN 'queries' THEN 'ranking_query_segments' WHEN 'pages' THEN 'ranking_page_segments' END;
  adds text := 'DO UPDATE SET impressions = m.impressions + excluded.impressions, clicks = m.clicks + excluded.clicks, sum_top = m.sum_top + excluded.sum_top';
  is_known boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM added WHERE counts & 6 <> 0) THEN RETURN NULL; END IF;
  EXECUTE format('INSERT INTO ranking_segment_days AS m (site, segment, level, day, impressions, clicks, sum_top) %s ON CONFLICT (site, segment, level, day) %s',
    ranking_sums_by_day('added', TG_ARGV[0]), adds);
  IF months IS NULL THEN RETURN NULL; END IF;
  EXECUTE format('SELECT EXISTS (
      SELECT FROM (SELECT DISTINCT site, day FROM added) AS a CROSS JOIN LATERAL (
        SELECT FROM %I m WHERE m.site = a.site AND m.month = ranking_month(a.day) ORDER BY m.segment LIMIT 1
      ) AS m
    )', months) INTO is_known;
  EXECUTE format('INSERT INTO %I AS m (site, segment, key, month, impressions, clicks, sum_top) %s %s', months,
    ranking_sums_by_month('added', TG_ARGV[0]), CASE WHEN is_known THEN 'ON CONFLICT (site, segment, key, month) ' || adds END);
  RETURN NULL;
END $$;

CREATE FUNCTION ranking_segments_removed() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = on AS $$
DECLARE
  months text := CASE TG_ARGV[0] WHEN 'queries' THEN 'ranking_query_segments' WHEN 'pages' THEN 'ranking_page_segments' END;
  takes text := 'WHEN MATCHED AND m.impressions = f.impressions THEN DELETE
    WHEN MATCHED THEN UPDATE SET impressions = m.impressions - f.impressions, clicks = m.clicks - f.clicks, sum_top = m.sum_top - f.sum_top';
BEGIN
  IF NOT EXISTS (SELECT FROM removed WHERE counts & 6 <> 0) THEN RETURN NULL; END IF;
  EXECUTE format('MERGE INTO ranking_segment_days m USING (%s) AS f ON m.site = f.site AND m.segment = f.segment AND m.level = f.level AND m.day = f.day %s',
    ranking_sums_by_day('removed', TG_ARGV[0]), takes);
  IF months IS NULL THEN RETURN NULL; END IF;
  EXECUTE format('MERGE INTO %I m USING (%s) AS f ON m.site = f.site AND m.segment = f.segment AND m.key = f.key AND m.month = f.month %s', months,
    ranking_sums_by_month('removed', TG_ARGV[0]), takes);
  RETURN NULL;
END $$;

-- A correction adds the new number before it takes the old one away, as for the whole.
DO $$
DECLARE
  kind record;
BEGIN
  FOR kind IN SELECT * FROM (VALUES ('queries', 'ranking_query_facts'), ('pages', 'ranking_page_facts'), ('property', 'ranking_property_facts')) AS k (level, facts) LOOP
    EXECUTE format('CREATE TRIGGER segments_added AFTER INSERT ON %I REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION ranking_segments_added(%L)', kind.facts, kind.level);
    EXECUTE format('CREATE TRIGGER segments_corrected_added AFTER UPDATE ON %I REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION ranking_segments_added(%L)', kind.facts, kind.level);
    EXECUTE format('CREATE TRIGGER segments_corrected_removed AFTER UPDATE ON %I REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION ranking_segments_removed(%L)', kind.facts, kind.level);
    EXECUTE format('CREATE TRIGGER segments_removed AFTER DELETE ON %I REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION ranking_segments_removed(%L)', kind.facts, kind.level);
  END LOOP;
END $$;

-- Days that are no longer known are no longer read, whichever release removes them. Where their facts go too, nothing is left here.
CREATE FUNCTION forget_ranking_segment_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM ranking_segment_days s USING removed r WHERE s.site = r.site AND s.level = r.level AND s.day = r.day;
  RETURN NULL;
END $$;
CREATE TRIGGER segment_days_forgotten AFTER DELETE ON ranking_days REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION forget_ranking_segment_days();

-- Sums of segments go with the other sums, before the facts.
CREATE OR REPLACE FUNCTION remove_project_data(gone uuid, most integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  number integer;
  name text;
  oldest date;
  taken bigint;
BEGIN
  PERFORM FROM projects WHERE id = gone AND account_id IS NULL FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  SELECT s.number INTO number FROM ranking_sites s WHERE site_id = gone FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    -- An import that is under way has the site; it will find that there is no project any more.
    IF EXISTS (SELECT FROM ranking_sites WHERE site_id = gone) THEN RETURN false; END IF;
    DELETE FROM projects WHERE id = gone;
    RETURN false;
  END IF;
  FOREACH name IN ARRAY ARRAY['rankings', 'ranking_blocks'] LOOP
    EXECUTE format('DELETE FROM %I WHERE ctid IN (
      SELECT r.ctid FROM %I r WHERE generation IN (SELECT id FROM ranking_generations WHERE site_id = $1) LIMIT $2)', name, name) USING gone, most;
    GET DIAGNOSTICS taken = ROW_COUNT;
    IF taken > 0 THEN RETURN true; END IF;
  END LOOP;
  FOREACH name IN ARRAY ARRAY['ranking_query_months', 'ranking_page_months', 'ranking_query_segments', 'ranking_page_segments', 'ranking_segment_days'] LOOP
    EXECUTE format('DELETE FROM %I WHERE ctid IN (SELECT ctid FROM %I WHERE site = $1 LIMIT $2)', name, name) USING number, most;
    GET DIAGNOSTICS taken = ROW_COUNT;
    IF taken > 0 THEN RETURN true; END IF;
  END LOOP;
  FOREACH name IN ARRAY ARRAY['ranking_query_facts', 'ranking_page_facts', 'ranking_property_facts'] LOOP
    EXECUTE format('SELECT day FROM %I WHERE site = $1 ORDER BY day LIMIT 1', name) INTO oldest USING number;
    IF oldest IS NOT NULL THEN
      EXECUTE format('DELETE FROM %I WHERE site = $1 AND day = $2', name) USING number, oldest;
      RETURN true;
    END IF;
  END LOOP;
  FOREACH name IN ARRAY ARRAY['ranking_pairs', 'ranking_pages', 'ranking_variants', 'ranking_conditions', 'ranking_days'] LOOP
    EXECUTE format('DELETE FROM %I WHERE ctid IN (SELECT ctid FROM %I WHERE site = $1 LIMIT $2)', name, name) USING number, most;
    GET DIAGNOSTICS taken = ROW_COUNT;
    IF taken > 0 THEN RETURN true; END IF;
  END LOOP;
  DELETE FROM projects WHERE id = gone;
  RETURN false;
END $$;
