-- Lists of rankings by clicks, by position and by movement, in blocks of 64 records of one status: an import writes a row a block in the order of the
-- list, where each of the three indexes that this replaces took a million records in any order. `value` and `key` are those of the last record of a
-- block; `value` rises along the list, and is 0 for records without a position. The arrays name the records by what they are found by in the usual order.
CREATE TABLE ranking_orders (
  generation bigint NOT NULL REFERENCES ranking_generations ON DELETE CASCADE,
  sort text NOT NULL CHECK (sort IN ('clicks', 'position', 'position_delta')),
  ranking_status text NOT NULL,
  value double precision NOT NULL,
  key uuid NOT NULL,
  impressions bigint[] NOT NULL,
  clicks bigint[] NOT NULL,
  keys uuid[] NOT NULL,
  PRIMARY KEY (generation, sort, ranking_status, value, key)
) WITH (toast_tuple_target = 8160);
ALTER TABLE ranking_orders ALTER COLUMN impressions SET STORAGE MAIN, ALTER COLUMN clicks SET STORAGE MAIN, ALTER COLUMN keys SET STORAGE MAIN;

CREATE FUNCTION order_rankings(ordered bigint) RETURNS void LANGUAGE plpgsql AS $$
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
          SELECT ranking_status, %s AS value, impressions, clicks, key, row_number() OVER (PARTITION BY ranking_status ORDER BY %s, key) - 1 AS nth
          FROM rankings WHERE generation = $1
        ) AS list GROUP BY ranking_status, nth / 64 ORDER BY ranking_status, nth / 64
      ) AS blocks', sorted.name, sorted.value, sorted.value) USING ordered;
  END LOOP;
END $$;

SELECT order_rankings(id) FROM ranking_generations WHERE published IS NOT NULL;
DROP INDEX rankings_clicks, rankings_position, rankings_delta;

-- Lists that a node of the release before computes.
CREATE FUNCTION order_former_rankings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM ranking_orders WHERE generation = NEW.id) THEN PERFORM order_rankings(NEW.id); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER order_former_rankings AFTER UPDATE OF published ON ranking_generations FOR EACH ROW
  WHEN (OLD.published IS NULL AND NEW.published IS NOT NULL) EXECUTE FUNCTION order_former_rankings();
