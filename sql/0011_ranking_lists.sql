-- Lists from the search data: rankings and opportunities.

-- Counts the publications of an account in the order of their commits: a transaction that takes the next number holds the row until its commit. A cursor has
-- the number of its first page. Below `oldest`, data of such a page were removed.
CREATE TABLE ranking_snapshots (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  number bigint NOT NULL, oldest bigint NOT NULL DEFAULT 0
);

-- All rankings of a site from one computation. They are written once; the next generation replaces them as a whole.
CREATE TABLE ranking_generations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  period_start date NOT NULL, period_end date NOT NULL CHECK (period_end >= period_start),
  records bigint,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Whether lists read `ranking_blocks` and `ranking_orders`. A worker makes those of a large generation after its publication.
  is_indexed boolean NOT NULL DEFAULT false,
  -- Visible to the snapshots from `published` up to, not including, `superseded`.
  published bigint, superseded bigint, superseded_at timestamptz,
  -- The days with data in the two windows, with warnings; and the number of records by status.
  coverage json, statuses json,
  -- The windows of the lists of opportunities, lists that could not be computed, and the lists' brand terms. A worker computes the lists when due.
  opportunities json, brand_folded text[], opportunities_due_at timestamptz,
  attempts integer NOT NULL DEFAULT 0, lease uuid, leased_until timestamptz CHECK ((lease IS NULL) = (leased_until IS NULL)),
  CHECK ((superseded IS NULL) = (superseded_at IS NULL)), CHECK (superseded > published)
);
CREATE UNIQUE INDEX ranking_generations_current ON ranking_generations (site_id) WHERE published IS NOT NULL AND superseded IS NULL;
CREATE INDEX ranking_generations_account ON ranking_generations (account_id, published);
CREATE INDEX ranking_generations_due ON ranking_generations (account_id, opportunities_due_at) WHERE opportunities_due_at IS NOT NULL;
CREATE INDEX ranking_generations_leased ON ranking_generations (leased_until) WHERE lease IS NOT NULL;

-- The mean of positions, or the difference of two means, as the nearest double.
CREATE FUNCTION ranking_ratio(over numeric, under numeric) RETURNS double precision
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT CASE WHEN under > 0 THEN (round(over, 20) / under)::double precision END $$;

-- The text for trigrams: ASCII letters and digits stay, any other character becomes the octal digits of its UTF-8 bytes. In a database with the locale C, the
-- trigram extension would take characters outside ASCII for blanks. Backslashes are left out; a substring stays a substring. Two functions, because the planner
-- inlines the first, and only texts outside ASCII need a call.
CREATE FUNCTION ranking_octal(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT replace(encode(convert_to($1, 'UTF8'), 'escape'), '\', '') $$;
CREATE FUNCTION ranking_searchable(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN octet_length($1) = length($1) THEN replace($1, '\', '') ELSE ranking_octal($1) END;

-- The pattern of a text for a search in results of ranking_searchable.
CREATE FUNCTION ranking_pattern(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN '%' || replace(replace(ranking_searchable($1), '%', '\%'), '_', '\_') || '%';

-- Records are found by their place in a list, never by their key.
CREATE TABLE rankings (
  generation bigint NOT NULL, key uuid NOT NULL,
  impressions bigint NOT NULL, clicks bigint NOT NULL,
  current_position double precision, previous_position double precision, position_delta double precision NOT NULL,
  ranking_status text NOT NULL CHECK (ranking_status IN ('climbing', 'dropping', 'stable', 'new', 'lost')),
  query text NOT NULL, page text NOT NULL, folded text,
  CHECK ((current_position IS NULL) = (ranking_status = 'lost')), CHECK ((previous_position IS NULL) = (ranking_status = 'new'))
);
-- The order of lists. Negated numbers let one comparison of rows find a position.
CREATE UNIQUE INDEX rankings_order ON rankings (generation, (-impressions), (-clicks), key);
CREATE INDEX rankings_status_order ON rankings (generation, ranking_status, (-impressions), (-clicks), key);

-- The list of a generation again, in blocks of 32 records: the last record of each block, and its queries as one searchable text. A block has fewer trigrams
-- than its queries together, and a text that is not in the block is not in its records.
CREATE TABLE ranking_blocks (
  generation bigint NOT NULL, impressions bigint NOT NULL, clicks bigint NOT NULL, key uuid NOT NULL,
  records smallint NOT NULL,
  queries text NOT NULL
) WITH (toast_tuple_target = 8160);
CREATE UNIQUE INDEX ranking_blocks_order ON ranking_blocks (generation, (-impressions), (-clicks), key);
CREATE INDEX ranking_blocks_search ON ranking_blocks USING gin (generation, queries gin_trgm_ops);

-- Lists by clicks, by position and by position change, in blocks of 64 records of one status. An import writes one row per block in the order of the list;
-- three indexes would take a million records in any order. `value` and `key` belong to the last record of a block; `value` rises along the list, and is 0 for
-- records without a position. The arrays have the columns that find the records in the default order.
CREATE TABLE ranking_orders (
  generation bigint NOT NULL REFERENCES ranking_generations ON DELETE CASCADE,
  sort text NOT NULL CHECK (sort IN ('clicks', 'position', 'position_delta')),
  ranking_status text NOT NULL, value double precision NOT NULL, key uuid NOT NULL,
  impressions bigint[] NOT NULL, clicks bigint[] NOT NULL, keys uuid[] NOT NULL,
  PRIMARY KEY (generation, sort, ranking_status, value, key)
) WITH (toast_tuple_target = 8160);
-- The arrays need no statistics, because nothing searches them.
ALTER TABLE ranking_orders
  ALTER COLUMN impressions SET STORAGE MAIN, ALTER COLUMN clicks SET STORAGE MAIN, ALTER COLUMN keys SET STORAGE MAIN,
  ALTER COLUMN impressions SET STATISTICS 0, ALTER COLUMN clicks SET STATISTICS 0, ALTER COLUMN keys SET STATISTICS 0;

-- Sorts by one number of status and value first, which decides nearly every comparison; sorts by three columns took a third longer. The number need not
-- distinguish near values, because value and key decide between equals. The first and the last block of a status may be short.
CREATE FUNCTION order_rankings(ordered bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE sorted record;
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

-- Conditions of queries at the last comparison of rankings. An event is published when a condition begins, not while it lasts.
CREATE TABLE ranking_conditions (
  site integer NOT NULL, key integer NOT NULL,
  event text NOT NULL CHECK (event IN ('ranking.dropped', 'ranking.climbed')),
  PRIMARY KEY (site, key)
);

-- The opportunities of a generation; a page of any list is read by its key.
CREATE TABLE ranking_opportunities (
  generation bigint NOT NULL REFERENCES ranking_generations ON DELETE CASCADE,
  kind text NOT NULL,
  -- Empty for all devices.
  device text NOT NULL,
  -- The filter: 'true' for queries of the brand, 'false' for others, 'any' for all, because keys cannot be null.
  brand text NOT NULL CHECK (brand IN ('any', 'true', 'false')),
  place integer NOT NULL CHECK (place > 0),
  -- Records whose difference may be chance follow the significant ones.
  significant boolean NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (generation, kind, device, brand, place)
);

-- The click curves of the generation's site.
CREATE TABLE ranking_curves (
  generation bigint NOT NULL REFERENCES ranking_generations ON DELETE CASCADE,
  device text NOT NULL, brand boolean NOT NULL, position smallint NOT NULL,
  rows bigint NOT NULL, impressions bigint NOT NULL, clicks bigint NOT NULL,
  ctr double precision NOT NULL, low double precision NOT NULL, high double precision NOT NULL,
  PRIMARY KEY (generation, device, brand, position)
);

-- Current drops of search traffic, of a page or, with an empty path, of the whole site: the clicks of the window before the drop, and the variation of weeks
-- then. `told`: an event was published.
CREATE TABLE ranking_traffic_falls (
  site_id uuid REFERENCES projects ON DELETE CASCADE,
  page_path text,
  before double precision NOT NULL, variance double precision NOT NULL, freedom integer NOT NULL,
  told boolean NOT NULL,
  began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (site_id, page_path)
);
