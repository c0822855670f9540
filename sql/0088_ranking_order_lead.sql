-- Lists in other orders are sorted by one number first, made of status and value, which decides nearly every comparison: by three columns the same sorts took
-- a third more. It need not tell near values apart: value and key decide between equals. The first and the last block of a status may be short. No
-- statistics of the arrays: nothing is looked for in them.
CREATE OR REPLACE FUNCTION order_rankings(ordered bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  sorted record;
BEGIN
  FOR sorted IN
    SELECT * FROM (VALUES ('clicks', '-clicks'), ('position', 'coalesce(current_position, 0)'), ('position_delta', '-position_delta')) AS s (name, value)
  LOOP
    EXECUTE format('
      INSERT INTO ranking_orders (generation, sort, ranking_status, value, key, impressions, clicks, keys)
      SELECT $1, %L, ranking_status, value, keys[cardinality(keys)], impressions, clicks, keys FROM (
        SELECT ranking_status, max(value) AS value, array_agg(impressions ORDER BY nth) AS impressions, array_agg(clicks ORDER BY nth) AS clicks,
          array_agg(key ORDER BY nth) AS keys
        FROM (
          SELECT *, row_number() OVER (ORDER BY lead, value, key) - 1 AS nth FROM (
            SELECT ranking_status, value, impressions, clicks, key,
              (array_position(ARRAY[''climbing'', ''dropping'', ''lost'', ''new'', ''stable''], ranking_status)::bigint << 60)
                + (greatest(-1e9, least(1e9, value::float8)) * 1048576)::bigint AS lead
            FROM (SELECT *, %s AS value FROM rankings WHERE generation = $1) AS valued
          ) AS led
        ) AS list GROUP BY ranking_status, nth / 64 ORDER BY ranking_status, nth / 64
      ) AS blocks', sorted.name, sorted.value) USING ordered;
  END LOOP;
END $$;
ALTER TABLE ranking_orders ALTER COLUMN impressions SET STATISTICS 0, ALTER COLUMN clicks SET STATISTICS 0, ALTER COLUMN keys SET STATISTICS 0;
