-- Queries are folded further: composed and decomposed spellings meet, sharp s is ss, the Turkish i is i. What is stored was in lower case already.
DO $$
BEGIN
  -- Another encoding has no normal forms; there queries are folded as they come again.
  IF current_setting('server_encoding') <> 'UTF8' THEN RETURN; END IF;
  CREATE FUNCTION pg_temp.refold(text) RETURNS text LANGUAGE sql AS $f$
    SELECT normalize(replace(replace(replace(replace(lower(normalize($1, NFKC) COLLATE "C"), U&'i\0307', 'i'), U&'\0131', 'i'), U&'\00DF', 'ss'),
      U&'\03C2', U&'\03C3'), NFC) $f$;
  UPDATE ranking_pairs SET folded = nullif(pg_temp.refold(coalesce(folded, query)), query)
  WHERE octet_length(query) <> length(query) AND folded IS DISTINCT FROM nullif(pg_temp.refold(coalesce(folded, query)), query);
  UPDATE rankings SET folded = nullif(pg_temp.refold(coalesce(folded, query)), query)
  WHERE octet_length(query) <> length(query) AND folded IS DISTINCT FROM nullif(pg_temp.refold(coalesce(folded, query)), query);
  CREATE TEMPORARY TABLE refolded ON COMMIT DROP AS SELECT DISTINCT generation FROM rankings WHERE octet_length(query) <> length(query);
  DELETE FROM ranking_blocks WHERE generation IN (SELECT generation FROM refolded);
  INSERT INTO ranking_blocks (generation, impressions, clicks, key, records, queries)
  SELECT generation, min(impressions), (array_agg(clicks) FILTER (WHERE is_last))[1], (array_agg(key) FILTER (WHERE is_last))[1], count(*),
    string_agg(ranking_searchable(coalesce(folded, query)), chr(10))
  FROM (
    SELECT *, (row_number() OVER list - 1) / 32 AS block, row_number() OVER list % 32 = 0 OR lead(key) OVER list IS NULL AS is_last
    FROM rankings WHERE generation IN (SELECT generation FROM refolded)
    WINDOW list AS (PARTITION BY generation ORDER BY -impressions, -clicks, key)
  ) AS listed
  GROUP BY generation, block ORDER BY generation, block;
END $$;
