-- What was found of queries when the rankings were last compared: an event is told when a condition begins, not while it lasts.
CREATE TABLE ranking_conditions (
  site integer NOT NULL,
  key integer NOT NULL,
  event text NOT NULL CHECK (event IN ('ranking.dropped', 'ranking.climbed')),
  PRIMARY KEY (site, key)
);

-- Of which days the two windows have data, and what is to be said about it.
ALTER TABLE ranking_generations ADD COLUMN coverage json;

ALTER TABLE ranking_imports DROP CONSTRAINT ranking_imports_source_check,
  ADD CHECK (source IN ('gsc-csv', 'gsc-api', 'bigquery', 'sync', 'drop-day'));

-- What holds in the rankings that are there has been told.
INSERT INTO ranking_conditions (site, key, event)
SELECT number, key, event FROM (
  SELECT number, key, CASE
    WHEN p_impressions < 10 THEN NULL
    WHEN c_impressions = 0 THEN 'ranking.dropped'
    WHEN c_impressions < 10 THEN NULL
    WHEN c_top * p_impressions - p_top * c_impressions > 3 * p_impressions * c_impressions THEN 'ranking.dropped'
    WHEN p_top > 10 * p_impressions AND c_top BETWEEN 4 * c_impressions AND 10 * c_impressions THEN 'ranking.climbed'
  END AS event FROM (
    SELECT s.number, f.key,
      coalesce(sum(impressions) FILTER (WHERE day >= period_start), 0) AS c_impressions, coalesce(sum(sum_top) FILTER (WHERE day >= period_start), 0) AS c_top,
      coalesce(sum(impressions) FILTER (WHERE day < period_start), 0) AS p_impressions, coalesce(sum(sum_top) FILTER (WHERE day < period_start), 0) AS p_top
    FROM ranking_generations g JOIN ranking_sites s USING (site_id) JOIN ranking_query_facts f ON f.site = s.number
    WHERE g.published IS NOT NULL AND g.superseded IS NULL
      AND f.day BETWEEN period_start - (period_end - period_start + 1) AND period_end AND f.counts & 1 = 1
    GROUP BY s.number, f.key
  ) AS sums
) AS found WHERE event IS NOT NULL;
