-- Search data: facts per day at three levels (a property, a page, a query on a page), and their sums.

-- One row per site that ever got data. The row's lock lets one import of a site at a time write.
CREATE TABLE ranking_sites (
  site_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  newest_day date,
  -- Whether raw rows have changed since the rankings were computed.
  is_stale boolean NOT NULL DEFAULT false,
  -- Sites and texts are integers in the order of arrival, so rows and keys are short and are appended.
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  -- Counts the changes of the site's facts. Data that were read at a number are valid as long as the number stays.
  revision bigint NOT NULL DEFAULT 0
);

-- The number of a query, computed from its text, so pairs with one query share it.
CREATE FUNCTION ranking_query_number(text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN ('x' || left(md5($1), 16))::bit(64)::bigint;
CREATE FUNCTION ranking_query_place(site integer, query_number bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN $2 # ($1::bigint << 32);

-- Each pair of query and page of a site. `key` makes its public id, equal in every database. `folded` is the query in lower case, if that differs.
CREATE TABLE ranking_pairs (
  site integer NOT NULL, id integer NOT NULL, key uuid NOT NULL,
  query text NOT NULL, page text NOT NULL, folded text,
  query_number bigint GENERATED ALWAYS AS (ranking_query_number(query)) STORED,
  PRIMARY KEY (site, id), UNIQUE (site, key)
);
-- A hash of site and query takes each new pair in one step; a tree would be descended to a random leaf.
CREATE INDEX ranking_pairs_query ON ranking_pairs USING hash (ranking_query_place(site, query_number));

CREATE TABLE ranking_pages (
  site integer NOT NULL, id integer NOT NULL, key uuid NOT NULL,
  page text NOT NULL,
  PRIMARY KEY (site, id), UNIQUE (site, key)
);

-- A variant distinguishes facts of one day and text: by an address other than the project's origin (another scheme, a fragment), and by the source's
-- dimensions, null for missing ones. Variant 0 is for facts without a stored address, and is not listed.
CREATE TABLE ranking_variants (
  site integer NOT NULL,
  id integer NOT NULL CHECK (id > 0),
  key uuid NOT NULL,
  address text NOT NULL,
  country text, device text, appearance text,
  grain smallint NOT NULL GENERATED ALWAYS AS
    (CASE WHEN country IS NULL THEN 0 ELSE 1 END + CASE WHEN device IS NULL THEN 0 ELSE 2 END) STORED,
  PRIMARY KEY (site, id), UNIQUE (site, key)
);

-- Of facts at several grains about one day and text, only one may be added up. `counts` has bits for the totals that include a row: 1 the whole, 2 its country,
-- 4 its device, 8 both together. `grains` has a bit for each existing grain (grain 0 no dimension, 1 country, 2 device, 3 both).
CREATE FUNCTION ranking_counts(grain integer, grains integer) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (
    CASE WHEN grains & ((1 << grain) - 1) = 0 THEN 1 ELSE 0 END
    + CASE WHEN grain IN (1, 3) AND grains & 10 & ((1 << grain) - 1) = 0 THEN 2 ELSE 0 END
    + CASE WHEN grain IN (2, 3) AND grains & 12 & ((1 << grain) - 1) = 0 THEN 4 ELSE 0 END
    + CASE WHEN grain = 3 THEN 8 ELSE 0 END
  )::smallint;

-- The facts, by month. `sum_top` adds the one-based top position of each impression, a fraction only for rounded positions of the source. `key` is a pair, a
-- page, or 0 for a property.
CREATE TABLE ranking_query_facts (
  site integer NOT NULL, day date NOT NULL, key integer NOT NULL, variant integer NOT NULL,
  impressions bigint NOT NULL CHECK (impressions > 0), clicks bigint NOT NULL CHECK (clicks BETWEEN 0 AND impressions),
  counts smallint NOT NULL, exact boolean NOT NULL,
  sum_top numeric NOT NULL CHECK (sum_top >= impressions),
  PRIMARY KEY (site, day, key, variant)
) PARTITION BY RANGE (day);
CREATE TABLE ranking_page_facts (LIKE ranking_query_facts INCLUDING ALL) PARTITION BY RANGE (day);
CREATE TABLE ranking_property_facts (LIKE ranking_query_facts INCLUDING ALL) PARTITION BY RANGE (day);

-- Attaching, unlike creating a partition in place, lets others read and write meanwhile; transactions that create partitions wait for one another. Imports lock
-- the tables when they ensure their partitions, so no partition is dropped before they have written.
CREATE FUNCTION ensure_ranking_partitions(first date, last date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE parent text; month date; name text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['ranking_query_facts', 'ranking_page_facts', 'ranking_property_facts'] LOOP
    EXECUTE format('LOCK TABLE ONLY %I IN ROW EXCLUSIVE MODE', parent);
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

-- The partitions of months before a month.
CREATE FUNCTION ranking_partitions_before(month date) RETURNS SETOF regclass LANGUAGE sql STABLE AS $$
  SELECT inhrelid::regclass FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
  WHERE inhparent IN ('ranking_query_facts'::regclass, 'ranking_page_facts'::regclass, 'ranking_property_facts'::regclass)
    AND right(relname, 7) < to_char(month, 'YYYY_MM')
$$;

-- Drops these partitions. Readers of facts wait meanwhile, so this function must not wait long for the locks, or do other slow work.
CREATE FUNCTION drop_ranking_partitions(before date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE partition regclass;
BEGIN
  LOCK TABLE ONLY ranking_query_facts, ONLY ranking_page_facts, ONLY ranking_property_facts IN ACCESS EXCLUSIVE MODE;
  FOR partition IN SELECT * FROM ranking_partitions_before(before) LOOP EXECUTE format('DROP TABLE %s', partition); END LOOP;
END $$;

-- Days with data, by level, including empty days, with the sums of facts that count for the whole (`counts & 1 = 1`).
CREATE TABLE ranking_days (
  site integer NOT NULL,
  level text NOT NULL CHECK (level IN ('queries', 'pages', 'property')),
  day date NOT NULL,
  -- Whether the day comes from an import with all its data, and not from parts.
  whole boolean NOT NULL,
  -- Whether the day was fetched from the Search Console API.
  synced boolean NOT NULL DEFAULT false,
  impressions bigint NOT NULL DEFAULT 0, clicks bigint NOT NULL DEFAULT 0, sum_top numeric NOT NULL DEFAULT 0,
  -- Knowledge of a day's queries by country and device. 'complete' and 'partial': from the Search Console API, beside the queries themselves, which alone are
  -- the whole; 'partial' after a cut by the API's limit of rows. 'bulk': from a bulk export, with sums equal to the whole. Null: not fetched.
  segments text,
  -- The time of the last import, the formats of the sources, and whether the API's limit of rows cut the day off.
  imported_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  sources text[] NOT NULL DEFAULT '{}', cut_off boolean NOT NULL DEFAULT false,
  PRIMARY KEY (site, level, day),
  CHECK (segments IS NULL OR (segments IN ('complete', 'partial', 'bulk') AND level = 'queries'))
);

CREATE FUNCTION ranking_month(date) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN $1 - (extract(day FROM $1)::integer - 1);

-- Sums of facts by month for each query and each page: a long range needs only a few rows per text. `key` is the number of a query; of `ranking_page_months`, a
-- page. Only facts that count for the whole are included.
CREATE TABLE ranking_query_months (
  site integer NOT NULL, key bigint NOT NULL, month date NOT NULL,
  impressions bigint NOT NULL CHECK (impressions > 0), clicks bigint NOT NULL CHECK (clicks BETWEEN 0 AND impressions),
  sum_top numeric NOT NULL CHECK (sum_top >= impressions),
  PRIMARY KEY (site, key, month)
);
CREATE TABLE ranking_page_months (LIKE ranking_query_months INCLUDING ALL);
-- For keys of a month by impressions, up to a bound.
CREATE INDEX ranking_query_months_most ON ranking_query_months (site, month, impressions);
CREATE INDEX ranking_page_months_most ON ranking_page_months (site, month, impressions);

-- Every change of facts updates the sums in its transaction. The planner may use nested loops here, even in imports without them, because the sums of a small
-- import are few among many. The condition is `<> 0`, which the planner expects of most rows; with `= 1` it would expect few, and loop over a million. Sums of
-- a site's new months are added without a look-up: a writer of facts holds the lock of the site, so nobody else adds to its months.
CREATE FUNCTION ranking_facts_added() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = on SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO ranking_days AS d (site, level, day, whole, impressions, clicks, sum_top)
  SELECT site, TG_ARGV[0], day, false, sum(impressions), sum(clicks), sum(sum_top) FROM added WHERE counts & 1 <> 0 GROUP BY site, day
  ON CONFLICT (site, level, day) DO UPDATE
  SET impressions = d.impressions + excluded.impressions, clicks = d.clicks + excluded.clicks, sum_top = d.sum_top + excluded.sum_top;
  IF TG_ARGV[0] = 'queries' THEN
    IF EXISTS (
      -- The order makes one look-up in the index by month for each day.
      SELECT FROM (SELECT DISTINCT site, day FROM added) AS a CROSS JOIN LATERAL (
        SELECT FROM ranking_query_months m WHERE m.site = a.site AND m.month = ranking_month(a.day) ORDER BY m.impressions DESC LIMIT 1
      ) AS m
    ) THEN
      INSERT INTO ranking_query_months AS m (site, key, month, impressions, clicks, sum_top)
      SELECT f.site, p.query_number, ranking_month(f.day), sum(f.impressions), sum(f.clicks), sum(f.sum_top)
      FROM added f JOIN ranking_pairs p ON p.site = f.site AND p.id = f.key WHERE f.counts & 1 <> 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (site, key, month) DO UPDATE
      SET impressions = m.impressions + excluded.impressions, clicks = m.clicks + excluded.clicks, sum_top = m.sum_top + excluded.sum_top;
    ELSE
      INSERT INTO ranking_query_months (site, key, month, impressions, clicks, sum_top)
      SELECT f.site, p.query_number, ranking_month(f.day), sum(f.impressions), sum(f.clicks), sum(f.sum_top)
      FROM added f JOIN ranking_pairs p ON p.site = f.site AND p.id = f.key WHERE f.counts & 1 <> 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
    END IF;
  ELSIF TG_ARGV[0] = 'pages' THEN
    INSERT INTO ranking_page_months AS m (site, key, month, impressions, clicks, sum_top)
    SELECT site, key, ranking_month(day), sum(impressions), sum(clicks), sum(sum_top)
    FROM added WHERE counts & 1 <> 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
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

-- A segment of a site: a device or a country.
CREATE TABLE ranking_segments (
  site integer NOT NULL REFERENCES ranking_sites (number) ON DELETE CASCADE,
  id integer NOT NULL, device text, country text,
  PRIMARY KEY (site, id), UNIQUE (site, device),
  UNIQUE (site, country),
  CHECK (num_nonnulls(device, country) = 1)
);

-- Numbers segments at their first variant. The lock of the site prevents concurrent additions.
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

-- The segments of a variant's facts, with the bit of `counts` for facts that the segment's sums include.
CREATE VIEW ranking_variant_segments AS
SELECT v.site, v.id AS variant, s.id AS segment, 4 AS bit FROM ranking_variants v JOIN ranking_segments s ON s.site = v.site AND s.device = v.device
UNION ALL
SELECT v.site, v.id, s.id, 2 FROM ranking_variants v JOIN ranking_segments s ON s.site = v.site AND s.country = v.country;

-- Sums of segments by day, and by month for each query and each page. `key` is the number of a query; of `ranking_page_segments`, a page. The order of columns
-- avoids padding.
CREATE TABLE ranking_segment_days (
  site integer NOT NULL, segment integer NOT NULL,
  level text NOT NULL CHECK (level IN ('queries', 'pages', 'property')),
  day date NOT NULL,
  impressions bigint NOT NULL CHECK (impressions > 0), clicks bigint NOT NULL CHECK (clicks BETWEEN 0 AND impressions),
  sum_top numeric NOT NULL CHECK (sum_top >= impressions),
  PRIMARY KEY (site, segment, level, day)
);
CREATE TABLE ranking_query_segments (
  site integer NOT NULL, segment integer NOT NULL, key bigint NOT NULL,
  impressions bigint NOT NULL CHECK (impressions > 0), clicks bigint NOT NULL CHECK (clicks BETWEEN 0 AND impressions),
  month date NOT NULL,
  sum_top numeric NOT NULL CHECK (sum_top >= impressions),
  PRIMARY KEY (site, segment, key, month)
);
CREATE TABLE ranking_page_segments (LIKE ranking_query_segments INCLUDING ALL);
-- For keys of a segment's month by impressions; one look-up tells whether a month has any.
CREATE INDEX ranking_query_segments_most ON ranking_query_segments (site, month, segment, impressions);
CREATE INDEX ranking_page_segments_most ON ranking_page_segments (site, month, segment, impressions);

-- The sums of a table of facts, as the text of a statement. A fact usually belongs to two segments, so facts of one variant are added up first.
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

-- Statements are texts, so each is planned for the actual facts. Sums of a site's new months are added without a look-up. Facts without device and country cost
-- one look at the added rows.
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

-- A correction adds the new number before it subtracts the old one (triggers fire in the order of their names), so no sum is removed in between.
DO $$
DECLARE kept record;
BEGIN
  FOR kept IN
    SELECT * FROM (VALUES ('query', 'queries'), ('page', 'pages'), ('property', 'property')) AS f (facts, level),
      (VALUES ('sums', 'facts'), ('segments', 'segments')) AS s (name, what),
      (VALUES ('added', 'INSERT', 'NEW', 'added'), ('corrected_added', 'UPDATE', 'NEW', 'added'),
        ('corrected_removed', 'UPDATE', 'OLD', 'removed'), ('removed', 'DELETE', 'OLD', 'removed')) AS c (change, event, rows, kind)
  LOOP
    EXECUTE format('CREATE TRIGGER %s_%s AFTER %s ON ranking_%s_facts REFERENCING %s TABLE AS %s
      FOR EACH STATEMENT EXECUTE FUNCTION ranking_%s_%s(%L)',
      kept.name, kept.change, kept.event, kept.facts, kept.rows, kept.kind, kept.what, kept.kind, kept.level);
  END LOOP;
END $$;

-- Removes the sums of forgotten days, which are no longer read.
CREATE FUNCTION forget_ranking_segment_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM ranking_segment_days s USING removed r WHERE s.site = r.site AND s.level = r.level AND s.day = r.day;
  RETURN NULL;
END $$;
CREATE TRIGGER segment_days_forgotten AFTER DELETE ON ranking_days REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION forget_ranking_segment_days();
