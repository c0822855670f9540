-- The pairs of a site lie together, and are searched by the stretches below instead.
DROP INDEX ranking_keys_search;
ALTER TABLE ranking_keys DROP CONSTRAINT ranking_keys_pkey, ADD PRIMARY KEY (site_id, key);

-- Records are reached by their place in a list, never by their key.
ALTER TABLE rankings DROP CONSTRAINT rankings_pkey;
DROP INDEX rankings_order;
CREATE UNIQUE INDEX rankings_order ON rankings (generation, (-impressions), (-clicks), key);

-- What a text is looked for by in what ranking_searchable makes of queries.
CREATE FUNCTION ranking_pattern(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN '%' || replace(replace(ranking_searchable($1), '%', '\%'), '_', '\_') || '%';

-- The list of a generation once more, in stretches of 32 records: the last record of each, and the queries in it as one searchable text. The
-- trigrams of a stretch are fewer than those of its queries together, and a text that is not in a stretch need not be looked for in its records.
CREATE TABLE ranking_stretches (
  generation bigint NOT NULL,
  impressions bigint NOT NULL,
  clicks bigint NOT NULL,
  key uuid NOT NULL,
  records smallint NOT NULL,
  queries text NOT NULL
) WITH (toast_tuple_target = 8160);
CREATE UNIQUE INDEX ranking_stretches_order ON ranking_stretches (generation, (-impressions), (-clicks), key);
INSERT INTO ranking_stretches (generation, impressions, clicks, key, records, queries)
SELECT generation, min(impressions), (array_agg(clicks) FILTER (WHERE is_last))[1], (array_agg(key) FILTER (WHERE is_last))[1], count(*),
  string_agg(ranking_searchable(coalesce(folded, query)), chr(10))
FROM (
  SELECT *, (row_number() OVER list - 1) / 32 AS stretch, row_number() OVER list % 32 = 0 OR lead(key) OVER list IS NULL AS is_last
  FROM rankings WINDOW list AS (PARTITION BY generation ORDER BY -impressions, -clicks, key)
) AS listed
GROUP BY generation, stretch ORDER BY generation, stretch;
CREATE INDEX ranking_stretches_search ON ranking_stretches USING gin (generation, queries gin_trgm_ops);

CREATE OR REPLACE FUNCTION forget_rankings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM rankings WHERE generation IN (SELECT id FROM ranking_generations WHERE site_id = OLD.id);
  DELETE FROM ranking_stretches WHERE generation IN (SELECT id FROM ranking_generations WHERE site_id = OLD.id);
  DELETE FROM ranking_rows WHERE site_id = OLD.id;
  DELETE FROM ranking_keys WHERE site_id = OLD.id;
  RETURN OLD;
END $$;
