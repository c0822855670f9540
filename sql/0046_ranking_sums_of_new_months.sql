-- Large imports of new pairs cost less: sums of months that a site had nothing of are added without a look for what may be there, in a plan without
-- sorts of both sides. Whoever writes facts holds the lock of the site, so that nobody adds to its months meanwhile.
CREATE OR REPLACE FUNCTION ranking_facts_added() RETURNS trigger LANGUAGE plpgsql SET enable_nestloop = on SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO ranking_days AS d (site, level, day, whole, impressions, clicks, sum_top)
  SELECT site, TG_ARGV[0], day, false, sum(impressions), sum(clicks), sum(sum_top) FROM added WHERE counts & 1 <> 0 GROUP BY site, day
  ON CONFLICT (site, level, day) DO UPDATE
  SET impressions = d.impressions + excluded.impressions, clicks = d.clicks + excluded.clicks, sum_top = d.sum_top + excluded.sum_top;
  IF TG_ARGV[0] = 'queries' THEN
    IF EXISTS (
      -- The order makes it one look into the index by month for each day.
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
