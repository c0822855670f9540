CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- One row a site that ever got data. Its lock lets one import of a site at a time write.
CREATE TABLE ranking_sites (
  site_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  newest_day date,
  -- Raw rows changed since the rankings were computed.
  is_stale boolean NOT NULL DEFAULT false
);

CREATE TABLE ranking_imports (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  source text NOT NULL CHECK (source IN ('gsc-csv', 'gsc-api', 'bigquery', 'sync')),
  first_day date,
  last_day date,
  rows bigint NOT NULL CHECK (rows >= 0),
  changed bigint NOT NULL CHECK (changed >= 0),
  dropped json NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((first_day IS NULL) = (last_day IS NULL))
);
CREATE INDEX ranking_imports_site ON ranking_imports (site_id, id);

-- Days that the Search Console API was asked for, also those that had nothing.
CREATE TABLE ranking_synced_days (
  site_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  day date NOT NULL,
  PRIMARY KEY (site_id, day)
);

-- What trigrams are made of: letters and digits of ASCII stay, any other character is written as the octal digits of its UTF-8 bytes. The trigram
-- extension takes characters beyond ASCII for blanks where the database has the locale C. Backslashes are left out; a substring stays a substring.
-- Two functions, because the planner writes the first into statements, and only texts beyond ASCII are worth a call.
CREATE FUNCTION ranking_octal(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT replace(encode(convert_to($1, 'UTF8'), 'escape'), '\', '') $$;
CREATE FUNCTION ranking_searchable(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN octet_length($1) = length($1) THEN replace($1, '\', '') ELSE ranking_octal($1) END;

-- The pairs of query and page of each site, once each; `folded` is the query in lower case where that is another text.
CREATE TABLE ranking_keys (
  key uuid PRIMARY KEY,
  site_id uuid NOT NULL,
  query text NOT NULL,
  page text NOT NULL,
  folded text
);
CREATE INDEX ranking_keys_search ON ranking_keys
  USING gin (site_id, ranking_searchable(coalesce(folded, query)) gin_trgm_ops);

-- The facts, by month. `sum_top` adds the one-based top position of each impression; a fraction only where the source had rounded positions.
CREATE TABLE ranking_rows (
  site_id uuid NOT NULL,
  day date NOT NULL,
  key uuid NOT NULL,
  variant bigint NOT NULL,
  impressions bigint NOT NULL CHECK (impressions > 0),
  clicks bigint NOT NULL CHECK (clicks BETWEEN 0 AND impressions),
  sum_top numeric NOT NULL CHECK (sum_top >= impressions),
  exact boolean NOT NULL,
  shape text NOT NULL,
  PRIMARY KEY (site_id, day, key, variant)
) PARTITION BY RANGE (day);

-- Attaching, unlike creating a partition in place, lets others read and write meanwhile; makers of partitions wait for one another.
CREATE FUNCTION ensure_ranking_partitions(first date, last date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  month date := date_trunc('month', first);
  name text;
BEGIN
  WHILE month <= last LOOP
    name := 'ranking_rows_' || to_char(month, 'YYYY_MM');
    IF to_regclass(name) IS NULL THEN
      LOCK TABLE ONLY ranking_rows IN SHARE UPDATE EXCLUSIVE MODE;
      IF to_regclass(name) IS NULL THEN
        EXECUTE format('CREATE TABLE %I (LIKE ranking_rows INCLUDING ALL)', name);
        EXECUTE format('ALTER TABLE ranking_rows ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
          name, month, (month + interval '1 month')::date);
      END IF;
    END IF;
    month := (month + interval '1 month')::date;
  END LOOP;
END $$;

-- Counts the publications of an account in the order of their commits: whoever takes the next number holds the row until then. A cursor carries
-- the number that its first page saw. Below `oldest` something that was seen is gone.
CREATE TABLE ranking_snapshots (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  number bigint NOT NULL,
  oldest bigint NOT NULL DEFAULT 0
);

-- All rankings of a site as computed at one time. They are written once, and replaced as a whole by the next generation.
CREATE TABLE ranking_generations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  site_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  period_start date NOT NULL,
  period_end date NOT NULL CHECK (period_end >= period_start),
  records bigint,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Visible to the snapshots from `published` up to, not including, `superseded`.
  published bigint,
  superseded bigint,
  superseded_at timestamptz,
  CHECK ((superseded IS NULL) = (superseded_at IS NULL)),
  CHECK (superseded > published)
);
CREATE UNIQUE INDEX ranking_generations_current ON ranking_generations (site_id)
  WHERE published IS NOT NULL AND superseded IS NULL;
CREATE INDEX ranking_generations_account ON ranking_generations (account_id, published);

CREATE TABLE rankings (
  generation bigint NOT NULL,
  key uuid NOT NULL,
  impressions bigint NOT NULL,
  clicks bigint NOT NULL,
  current_position double precision,
  previous_position double precision,
  position_delta double precision NOT NULL,
  ranking_status text NOT NULL CHECK (ranking_status IN ('climbing', 'dropping', 'stable', 'new', 'lost')),
  query text NOT NULL,
  page text NOT NULL,
  folded text,
  CHECK ((current_position IS NULL) = (ranking_status = 'lost')),
  CHECK ((previous_position IS NULL) = (ranking_status = 'new')),
  PRIMARY KEY (generation, key)
);
-- The order of lists; negated, so that one comparison of rows finds a position in it.
CREATE INDEX rankings_order ON rankings (generation, (-impressions), (-clicks), key);
CREATE INDEX rankings_status_order ON rankings (generation, ranking_status, (-impressions), (-clicks), key);

-- The mean of positions, and the difference of two, as the nearest number there is.
CREATE FUNCTION ranking_ratio(over numeric, under numeric) RETURNS double precision
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
  $$ SELECT CASE WHEN under > 0 THEN (round(over, 20) / under)::double precision END $$;

-- Where a site's data come from by themselves, and when they are fetched next.
CREATE TABLE ranking_sources (
  site_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  property text NOT NULL,
  -- Ciphertext, bound to the site.
  credentials text NOT NULL CHECK (credentials LIKE 'v1.%'),
  every_hours integer CHECK (every_hours BETWEEN 1 AND 720),
  next_sync_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  synced_at timestamptz,
  last_error text,
  -- The node that synchronises holds the source until then; nobody else starts.
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((lease IS NULL) = (leased_until IS NULL)),
  CHECK ((every_hours IS NULL) = (next_sync_at IS NULL))
);
CREATE INDEX ranking_sources_due ON ranking_sources (next_sync_at) WHERE next_sync_at IS NOT NULL;

-- The large tables have no foreign keys, whose checks would cost more than the rows: a project that goes takes them along here.
CREATE FUNCTION forget_rankings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM rankings WHERE generation IN (SELECT id FROM ranking_generations WHERE site_id = OLD.id);
  DELETE FROM ranking_rows WHERE site_id = OLD.id;
  DELETE FROM ranking_keys WHERE site_id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER projects_forget_rankings BEFORE DELETE ON projects FOR EACH ROW EXECUTE FUNCTION forget_rankings();
