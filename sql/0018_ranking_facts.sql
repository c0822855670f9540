-- Facts per day at three levels: of a property, of a page, of a query on a page. Sites and texts are integers, given in the order in which they
-- come, so that rows and their keys are short and are appended.
ALTER TABLE ranking_sites
  ADD COLUMN number integer GENERATED ALWAYS AS IDENTITY,
  -- Counts the changes of the site's facts: what was read at one number is still true at the same number.
  ADD COLUMN revision bigint NOT NULL DEFAULT 0,
  ADD UNIQUE (number);

-- Each pair of query and page of a site; `key` is what its public id is made of, and the same in every database.
CREATE TABLE ranking_pairs (
  site integer NOT NULL,
  id integer NOT NULL,
  key uuid NOT NULL,
  query text NOT NULL,
  page text NOT NULL,
  folded text,
  PRIMARY KEY (site, id),
  UNIQUE (site, key)
);

CREATE TABLE ranking_pages (
  site integer NOT NULL,
  id integer NOT NULL,
  key uuid NOT NULL,
  page text NOT NULL,
  PRIMARY KEY (site, id),
  UNIQUE (site, key)
);

-- What sets apart facts of one day and text: the address where it is not the project's origin (another scheme, a fragment), and the dimensions that
-- the source has; null where it has none. Variant 0 stands for facts whose address was not kept, and is not listed.
CREATE TABLE ranking_variants (
  site integer NOT NULL,
  id integer NOT NULL CHECK (id > 0),
  key uuid NOT NULL,
  address text NOT NULL,
  country text,
  device text,
  appearance text,
  grain smallint NOT NULL GENERATED ALWAYS AS
    (CASE WHEN country IS NULL THEN 0 ELSE 1 END + CASE WHEN device IS NULL THEN 0 ELSE 2 END) STORED,
  PRIMARY KEY (site, id),
  UNIQUE (site, key)
);

-- Of facts at several grains about one day and text only one may be added up. `counts` tells of a row what it counts for: 1 the whole, 2 its country,
-- 4 its device, 8 both together; `grains` has a bit for each grain that there is (grain 0 nothing known, 1 country, 2 device, 3 both).
CREATE FUNCTION ranking_counts(grain integer, grains integer) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (
    CASE WHEN grains & ((1 << grain) - 1) = 0 THEN 1 ELSE 0 END
    + CASE WHEN grain IN (1, 3) AND grains & 10 & ((1 << grain) - 1) = 0 THEN 2 ELSE 0 END
    + CASE WHEN grain IN (2, 3) AND grains & 12 & ((1 << grain) - 1) = 0 THEN 4 ELSE 0 END
    + CASE WHEN grain = 3 THEN 8 ELSE 0 END
  )::smallint;

-- The facts, by month. `sum_top` adds the one-based top position of each impression; a fraction only where the source had rounded positions. `key` is
-- a pair, a page, and 0 for a property.
CREATE TABLE ranking_query_facts (
  site integer NOT NULL,
  day date NOT NULL,
  key integer NOT NULL,
  variant integer NOT NULL,
  impressions bigint NOT NULL CHECK (impressions > 0),
  clicks bigint NOT NULL CHECK (clicks BETWEEN 0 AND impressions),
  counts smallint NOT NULL,
  exact boolean NOT NULL,
  sum_top numeric NOT NULL CHECK (sum_top >= impressions),
  PRIMARY KEY (site, day, key, variant)
) PARTITION BY RANGE (day);
CREATE TABLE ranking_page_facts (LIKE ranking_query_facts INCLUDING ALL) PARTITION BY RANGE (day);
CREATE TABLE ranking_property_facts (LIKE ranking_query_facts INCLUDING ALL) PARTITION BY RANGE (day);

-- Attaching, unlike creating a partition in place, lets others read and write meanwhile; makers of partitions wait for one another.
CREATE OR REPLACE FUNCTION ensure_ranking_partitions(first date, last date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  month date;
  name text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['ranking_query_facts', 'ranking_page_facts', 'ranking_property_facts'] LOOP
    month := date_trunc('month', first);
    WHILE month <= last LOOP
      name := parent || '_' || to_char(month, 'YYYY_MM');
      IF to_regclass(name) IS NULL THEN
        EXECUTE format('LOCK TABLE ONLY %I IN SHARE UPDATE EXCLUSIVE MODE', parent);
        IF to_regclass(name) IS NULL THEN
          EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', name, parent);
          EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
            parent, name, month, (month + interval '1 month')::date);
        END IF;
      END IF;
      month := (month + interval '1 month')::date;
    END LOOP;
  END LOOP;
END $$;

-- Which days there are data of, by level, also of days that had nothing. `whole`: from an import that has all of the day, of which nothing is added
-- up from parts. `synced`: the Search Console API was asked for it.
CREATE TABLE ranking_days (
  site integer NOT NULL,
  level text NOT NULL CHECK (level IN ('queries', 'pages', 'property')),
  day date NOT NULL,
  whole boolean NOT NULL,
  synced boolean NOT NULL DEFAULT false,
  PRIMARY KEY (site, level, day)
);

ALTER TABLE ranking_imports ADD COLUMN hash text;
CREATE INDEX ranking_imports_hash ON ranking_imports (site_id, hash);

-- What is stored, kept: sums by day, query and page. Which addresses they came from was never kept, so they are variant 0.
INSERT INTO ranking_pairs (site, id, key, query, page, folded)
SELECT s.number, row_number() OVER (PARTITION BY k.site_id ORDER BY k.key), k.key, k.query, k.page, k.folded
FROM ranking_keys k JOIN ranking_sites s USING (site_id);
SELECT ensure_ranking_partitions(min(day), max(day)) FROM ranking_rows;
INSERT INTO ranking_query_facts (site, day, key, variant, impressions, clicks, counts, exact, sum_top)
SELECT s.number, r.day, p.id, 0, sum(r.impressions), sum(r.clicks), 1, bool_and(r.exact), sum(r.sum_top)
FROM ranking_rows r JOIN ranking_sites s USING (site_id) JOIN ranking_pairs p ON p.site = s.number AND p.key = r.key
GROUP BY s.number, r.day, p.id ORDER BY s.number, r.day, p.id;
INSERT INTO ranking_days (site, level, day, whole, synced)
SELECT s.number, 'queries', d.day, bool_or(d.synced), bool_or(d.synced) FROM (
  SELECT site_id, day, true AS synced FROM ranking_synced_days UNION ALL SELECT DISTINCT site_id, day, false FROM ranking_rows
) AS d JOIN ranking_sites s USING (site_id) GROUP BY s.number, d.day;
DROP TABLE ranking_rows, ranking_keys, ranking_synced_days;

CREATE OR REPLACE FUNCTION forget_rankings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  gone integer := (SELECT number FROM ranking_sites WHERE site_id = OLD.id);
BEGIN
  DELETE FROM rankings WHERE generation IN (SELECT id FROM ranking_generations WHERE site_id = OLD.id);
  DELETE FROM ranking_blocks WHERE generation IN (SELECT id FROM ranking_generations WHERE site_id = OLD.id);
  DELETE FROM ranking_query_facts WHERE site = gone;
  DELETE FROM ranking_page_facts WHERE site = gone;
  DELETE FROM ranking_property_facts WHERE site = gone;
  DELETE FROM ranking_days WHERE site = gone;
  DELETE FROM ranking_pairs WHERE site = gone;
  DELETE FROM ranking_pages WHERE site = gone;
  DELETE FROM ranking_variants WHERE site = gone;
  RETURN OLD;
END $$;
