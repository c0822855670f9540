-- Large imports of new pairs cost less. A hash of site and query takes each new pair in one step, where the tree that it replaces was descended to a
-- random leaf; and the sums by month are added up once, in a plan that knows how many facts there are.
CREATE FUNCTION ranking_query_place(site integer, query_number bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN $2 # ($1::bigint << 32);
DROP INDEX ranking_pairs_query;
CREATE INDEX ranking_pairs_query ON ranking_pairs USING hash (ranking_query_place(site, query_number));

-- `<> 0` is what the planner expects of most rows, `= 1` of few: it would loop over a million.
CREATE OR REPLACE FUNCTION ranking_facts_added() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = on AS $$
BEGIN
  INSERT INTO ranking_days AS d (site, level, day, whole, impressions, clicks, sum_top)
  SELECT site, TG_ARGV[0], day, false, sum(impressions), sum(clicks), sum(sum_top) FROM added WHERE counts & 1 <> 0 GROUP BY site, day
  ON CONFLICT (site, level, day) DO UPDATE
  SET impressions = d.impressions + excluded.impressions, clicks = d.clicks + excluded.clicks, sum_top = d.sum_top + excluded.sum_top;
  IF TG_ARGV[0] = 'queries' THEN
    INSERT INTO ranking_query_months AS m (site, key, month, impressions, clicks, sum_top)
    SELECT f.site, p.query_number, ranking_month(f.day), sum(f.impressions), sum(f.clicks), sum(f.sum_top)
    FROM added f JOIN ranking_pairs p ON p.site = f.site AND p.id = f.key WHERE f.counts & 1 <> 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (site, key, month) DO UPDATE
    SET impressions = m.impressions + excluded.impressions, clicks = m.clicks + excluded.clicks, sum_top = m.sum_top + excluded.sum_top;
  ELSIF TG_ARGV[0] = 'pages' THEN
    INSERT INTO ranking_page_months AS m (site, key, month, impressions, clicks, sum_top)
    SELECT site, key, ranking_month(day), sum(impressions), sum(clicks), sum(sum_top)
    FROM added WHERE counts & 1 <> 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (site, key, month) DO UPDATE
    SET impressions = m.impressions + excluded.impressions, clicks = m.clicks + excluded.clicks, sum_top = m.sum_top + excluded.sum_top;
  END IF;
  RETURN NULL;
END $$;
