-- Lists that are computed from the search data: rankings and opportunities.

-- Counts the publications of an account in the order of their commits: whoever takes the next number holds the row until then. A cursor carries
-- the number that its first page saw. Below `oldest` something that was seen is gone.
CREATE TABLE ranking_snapshots (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  number bigint NOT NULL, oldest bigint NOT NULL DEFAULT 0
);

-- All rankings of a site as computed at one time. They are written once, and replaced as a whole by the next generation.
CREATE TABLE ranking_generations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  period_start date NOT NULL, period_end date NOT NULL CHECK (period_end >= period_start),
  records bigint,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Visible to the snapshots from `published` up to, not including, `superseded`.
  published bigint, superseded bigint, superseded_at timestamptz,
  -- Of which days the two windows have data, with what is to be said about it; and records by status.
  coverage json, statuses json,
  -- The windows of the lists of opportunities, which of them could not be made, and the terms that they tell the brand by; a worker computes them when due.
  opportunities json, brand_folded text[], opportunities_due_at timestamptz,
  attempts integer NOT NULL DEFAULT 0, lease uuid, leased_until timestamptz CHECK ((lease IS NULL) = (leased_until IS NULL)),
  CHECK ((superseded IS NULL) = (superseded_at IS NULL)), CHECK (superseded > published)
);
CREATE UNIQUE INDEX ranking_generations_current ON ranking_generations (site_id) WHERE published IS NOT NULL AND superseded IS NULL;
CREATE INDEX ranking_generations_account ON ranking_generations (account_id, published);
CREATE INDEX ranking_generations_due ON ranking_generations (account_id, opportunities_due_at) WHERE opportunities_due_at IS NOT NULL;
CREATE INDEX ranking_generations_leased ON ranking_generations (leased_until) WHERE lease IS NOT NULL;

-- The mean of positions, and the difference of two, as the nearest number there is.
CREATE FUNCTION ranking_ratio(over numeric, under numeric) RETURNS double precision
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT CASE WHEN under > 0 THEN (round(over, 20) / under)::double precision END $$;

-- What trigrams are made of: letters and digits of ASCII stay, any other character is written as the octal digits of its UTF-8 bytes. The trigram
-- extension takes characters beyond ASCII for blanks where the database has the locale C. Backslashes are left out; a substring stays a substring.
-- Two functions, because the planner writes the first into statements, and only texts beyond ASCII are worth a call.
CREATE FUNCTION ranking_octal(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT replace(encode(convert_to($1, 'UTF8'), 'escape'), '\', '') $$;
CREATE FUNCTION ranking_searchable(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN octet_length($1) = length($1) THEN replace($1, '\', '') ELSE ranking_octal($1) END;

-- What a text is looked for by in what ranking_searchable makes of queries.
CREATE FUNCTION ranking_pattern(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN '%' || replace(replace(ranking_searchable($1), '%', '\%'), '_', '\_') || '%';

-- Records are reached by their place in a list, never by their key.
CREATE TABLE rankings (
  generation bigint NOT NULL, key uuid NOT NULL,
  impressions bigint NOT NULL, clicks bigint NOT NULL,
  current_position double precision, previous_position double precision, position_delta double precision NOT NULL,
  ranking_status text NOT NULL CHECK (ranking_status IN ('climbing', 'dropping', 'stable', 'new', 'lost')),
  query text NOT NULL, page text NOT NULL, folded text,
  CHECK ((current_position IS NULL) = (ranking_status = 'lost')), CHECK ((previous_position IS NULL) = (ranking_status = 'new'))
);
-- The order of lists; negated, so that one comparison of rows finds a position in it.
CREATE UNIQUE INDEX rankings_order ON rankings (generation, (-impressions), (-clicks), key);
CREATE INDEX rankings_status_order ON rankings (generation, ranking_status, (-impressions), (-clicks), key);

-- The list of a generation once more, in blocks of 32 records: the last record of each, and the queries in it as one searchable text. The trigrams of a
-- block are fewer than those of its queries together, and a text that is not in a block need not be looked for in its records.
CREATE TABLE ranking_blocks (
  generation bigint NOT NULL, impressions bigint NOT NULL, clicks bigint NOT NULL, key uuid NOT NULL,
  records smallint NOT NULL,
  queries text NOT NULL
) WITH (toast_tuple_target = 8160);
CREATE UNIQUE INDEX ranking_blocks_order ON ranking_blocks (generation, (-impressions), (-clicks), key);
CREATE INDEX ranking_blocks_search ON ranking_blocks USING gin (generation, queries gin_trgm_ops);

-- Lists by clicks, by position and by movement, in blocks of 64 records of one status: an import writes a row a block in the order of the list, where three
-- indexes would take a million records in any order. `value` and `key` are those of the last record of a block; `value` rises along the list, and is 0
-- for records without a position. The arrays name the records by what they are found by in the usual order.
CREATE TABLE ranking_orders (
  generation bigint NOT NULL REFERENCES ranking_generations ON DELETE CASCADE,
  sort text NOT NULL CHECK (sort IN ('clicks', 'position', 'position_delta')),
  ranking_status text NOT NULL, value double precision NOT NULL, key uuid NOT NULL,
  impressions bigint[] NOT NULL, clicks bigint[] NOT NULL, keys uuid[] NOT NULL,
  PRIMARY KEY (generation, sort, ranking_status, value, key)
) WITH (toast_tuple_target = 8160);
-- No statistics of the arrays: nothing is looked for in them.
ALTER TABLE ranking_orders
  ALTER COLUMN impressions SET STORAGE MAIN, ALTER COLUMN clicks SET STORAGE MAIN, ALTER COLUMN keys SET STORAGE MAIN,
  ALTER COLUMN impressions SET STATISTICS 0, ALTER COLUMN clicks SET STATISTICS 0, ALTER COLUMN keys SET STATISTICS 0;

-- Sorted by one number first, made of status and value, which decides nearly every comparison: by three columns the same sorts took a third more. It need
-- not tell near values apart: value and key decide between equals. The first and the last block of a status may be short.
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

-- What was found of queries when the rankings were last compared: an event is published when a condition begins, not while it lasts.
CREATE TABLE ranking_conditions (
  site integer NOT NULL, key integer NOT NULL,
  event text NOT NULL CHECK (event IN ('ranking.dropped', 'ranking.climbed')),
  PRIMARY KEY (site, key)
);

-- What the search data of a generation say to do: a page of any list is read by its key.
CREATE TABLE ranking_opportunities (
  generation bigint NOT NULL REFERENCES ranking_generations ON DELETE CASCADE,
  kind text NOT NULL,
  -- Empty for all devices.
  device text NOT NULL,
  -- The filter: true for queries of the brand, false for the others, null has its own word because keys have no nulls.
  brand text NOT NULL CHECK (brand IN ('any', 'true', 'false')),
  place integer NOT NULL CHECK (place > 0),
  record text NOT NULL,
  PRIMARY KEY (generation, kind, device, brand, place)
);

-- The click curves of its site.
CREATE TABLE ranking_curves (
  generation bigint NOT NULL REFERENCES ranking_generations ON DELETE CASCADE,
  device text NOT NULL, brand boolean NOT NULL, position smallint NOT NULL,
  rows bigint NOT NULL, impressions bigint NOT NULL, clicks bigint NOT NULL,
  ctr double precision NOT NULL, low double precision NOT NULL, high double precision NOT NULL,
  PRIMARY KEY (generation, device, brand, position)
);

-- Falls of search traffic that are under way, of a page or, with an empty path, of the whole site: the clicks of the window before it began, and how much
-- weeks varied then. `told`: an event was published.
CREATE TABLE ranking_traffic_falls (
  site_id uuid REFERENCES projects ON DELETE CASCADE,
  page_path text,
  before double precision NOT NULL, variance double precision NOT NULL, freedom integer NOT NULL,
  told boolean NOT NULL,
  began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (site_id, page_path)
);
