-- Lists that were made before coverage was kept tell of their days as well. What is to be warned of is told when they are made anew.
UPDATE ranking_generations g SET coverage = json_build_object(
  'site_id', g.site_id,
  'current', json_build_object('start', g.period_start, 'end', g.period_end, 'days_with_data', d.current),
  'previous', json_build_object('start', d.start, 'end', g.period_start - 1, 'days_with_data', d.previous),
  'warnings', '[]'::json)
FROM (
  SELECT w.id, w.start, count(*) FILTER (WHERE k.day >= w.period_start) AS current, count(*) FILTER (WHERE k.day < w.period_start) AS previous
  FROM (SELECT *, period_start - (period_end - period_start + 1) AS start FROM ranking_generations WHERE coverage IS NULL AND published IS NOT NULL) AS w
  JOIN ranking_sites s ON s.site_id = w.site_id
  LEFT JOIN ranking_days k ON k.site = s.number AND k.level = 'queries' AND k.day BETWEEN w.start AND w.period_end
  GROUP BY w.id, w.start
) AS d WHERE d.id = g.id;
