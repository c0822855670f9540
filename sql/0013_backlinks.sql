-- Pages that link to a site, one row each. What is said of a page here is what our own looks saw; what exports say of it is in backlink_reports.
CREATE TABLE backlinks (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  source_url text NOT NULL CHECK (length(source_url) <= 2048),
  -- Host with its port, by which requests keep their distance.
  source_host text NOT NULL,
  -- Host without www, and the name that was registered above it, whose authority it has unless it has one of its own.
  source_domain text COLLATE "C" NOT NULL, root_domain text NOT NULL,
  target_url text, anchor_text text,
  rel text[] NOT NULL DEFAULT '{}',
  state text NOT NULL DEFAULT 'unknown' CHECK (state IN ('live', 'page_gone', 'link_removed', 'redirected', 'blocked', 'unknown')),
  reason text NOT NULL DEFAULT 'not_checked',
  http_status integer,
  first_seen_at timestamptz NOT NULL, last_live_at timestamptz, checked_at timestamptz,
  -- First of the looks since the last live one that found no link.
  gone_since timestamptz,
  lost_at timestamptz CHECK (lost_at IS NULL OR last_live_at IS NOT NULL),
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (project_id, source_url)
);
CREATE INDEX backlinks_list ON backlinks (project_id, created_at DESC, id DESC);
CREATE INDEX backlinks_domain ON backlinks (project_id, source_domain);
CREATE INDEX backlinks_due ON backlinks (project_id, due_at);

-- What the exports of a tool say of a page. Absence from an export says nothing: the times stay where they were.
CREATE TABLE backlink_reports (
  backlink_id uuid NOT NULL REFERENCES backlinks ON DELETE CASCADE,
  source text NOT NULL,
  target_url text, anchor_text text,
  rel text[] NOT NULL DEFAULT '{}',
  first_reported_at timestamptz NOT NULL, last_reported_at timestamptz NOT NULL,
  PRIMARY KEY (backlink_id, source)
);

-- What the exports of a tool say of a domain.
CREATE TABLE backlink_domains (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  domain text COLLATE "C" NOT NULL CHECK (domain <> ''),
  source text NOT NULL, root_domain text NOT NULL,
  authority double precision CHECK (authority BETWEEN 0 AND 100), authority_at timestamptz,
  reported_links bigint CHECK (reported_links >= 0),
  -- In lists of domains; null where the domain is known by its pages alone.
  first_listed_at timestamptz, last_listed_at timestamptz,
  missing_since timestamptz, lost_at timestamptz,
  PRIMARY KEY (project_id, domain, source)
);
-- A list may prove a million domains lost, which are read some at a time, in order.
CREATE INDEX backlink_domains_lost ON backlink_domains (project_id, source, lost_at, domain) WHERE lost_at IS NOT NULL;

-- Lists of domains that were imported. One that holds under half as many domains as the one before counts for no absence.
CREATE TABLE backlink_lists (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  source text NOT NULL, taken_at timestamptz NOT NULL, domains integer NOT NULL, is_partial boolean NOT NULL,
  PRIMARY KEY (project_id, source, taken_at)
);

-- The first million of a Common Crawl web graph: names by harmonic centrality, the same for all sites.
CREATE TABLE backlink_ranks (domain text PRIMARY KEY, rank integer NOT NULL CHECK (rank >= 1), as_of timestamptz NOT NULL);

-- Authority of a name, or else of the one above it: what makes it high before what does not, then the newest.
CREATE FUNCTION backlink_authority(project uuid, name text, root text) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('source', source, 'value', value, 'scale', scale, 'as_of', iso(as_of)) FROM (
    SELECT source, authority AS value, '0-100' AS scale, authority_at AS as_of, domain = name AS is_own, authority >= 60 AS is_high
    FROM backlink_domains WHERE project_id = project AND domain IN (name, root) AND authority IS NOT NULL
    UNION ALL
    SELECT 'common-crawl', rank, 'harmonic-rank', as_of, domain = name, rank <= 1000000 FROM backlink_ranks WHERE domain IN (name, root)
  ) AS known ORDER BY is_own DESC, is_high DESC, as_of DESC, source LIMIT 1
$$;
CREATE FUNCTION is_high_backlink_authority(authority json) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(CASE authority ->> 'scale' WHEN '0-100' THEN (authority ->> 'value')::float8 >= 60
    WHEN 'harmonic-rank' THEN (authority ->> 'value')::float8 <= 1000000 END, false)
$$;

-- What became of backlinks.
CREATE TABLE backlink_changes (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  backlink_id uuid NOT NULL REFERENCES backlinks ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('new', 'lost', 'recovered', 'rel_changed')),
  previous_rel text[], rel text[],
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX backlink_changes_list ON backlink_changes (project_id, created_at DESC, id DESC);
CREATE INDEX backlink_changes_backlink ON backlink_changes (backlink_id);

-- Sites whose backlinks are looked at, in rounds: a round is leased work.
CREATE TABLE backlink_sites (
  id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  next_at timestamptz NOT NULL,
  -- Rounds in succession in which most hosts did not answer.
  failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease uuid, leased_until timestamptz CHECK ((lease IS NULL) = (leased_until IS NULL))
);
CREATE INDEX backlink_sites_due ON backlink_sites (next_at);
CREATE INDEX backlink_sites_leased ON backlink_sites (leased_until) WHERE lease IS NOT NULL;

-- When a server or domain may be asked again, over all nodes, projects and accounts.
CREATE TABLE backlink_hosts (host text PRIMARY KEY, next_at timestamptz NOT NULL);

-- Pages that an account has looked at on its newest day with looks.
CREATE TABLE backlink_looks (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  day date NOT NULL, pages integer NOT NULL CHECK (pages > 0)
);

-- The newest request of an account to a server or domain, made or to come. Rows live for minutes.
CREATE TABLE backlink_turns (
  host text NOT NULL, account_id uuid NOT NULL, at timestamptz NOT NULL,
  PRIMARY KEY (host, account_id)
);

-- Reserves the next request of an account to a server that goes by these names (addresses, a domain), `pause` seconds after the last one to any of them.
-- An account has one request to come at each name, so accounts take turns. Answers the seconds until the request, or, not reserved, until the account may ask
-- again; no row where the request would come later than `within` seconds from now. A clock that was set back leaves times that no request can have: they count
-- for nothing.
CREATE FUNCTION reserve_look(account uuid, names text[], pause double precision, within double precision, longest double precision)
RETURNS TABLE (wait double precision, is_reserved boolean) LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz;
  own timestamptz;
  turn timestamptz;
BEGIN
  -- Rows are made or held in one order, so that two requests with names in common wait for each other.
  INSERT INTO backlink_hosts AS h (host, next_at) SELECT name, '-infinity' FROM (SELECT DISTINCT unnest(names) AS name ORDER BY 1) AS ordered
  ON CONFLICT (host) DO UPDATE SET next_at = h.next_at;
  moment := clock_timestamp();
  SELECT max(at) INTO own FROM backlink_turns
  WHERE account_id = account AND host = ANY (names) AND at > moment AND at <= moment + (longest + pause) * interval '1 second';
  IF own IS NOT NULL THEN
    RETURN QUERY SELECT extract(epoch FROM own - moment)::float8, false;
    RETURN;
  END IF;
  SELECT greatest(moment, max(next_at) FILTER (WHERE next_at <= moment + (longest + pause) * interval '1 second')) INTO turn
  FROM backlink_hosts WHERE host = ANY (names);
  IF turn > moment + least(within, longest) * interval '1 second' THEN
    RETURN;
  END IF;
  UPDATE backlink_hosts SET next_at = turn + pause * interval '1 second' WHERE host = ANY (names);
  INSERT INTO backlink_turns AS t (host, account_id, at) SELECT DISTINCT unnest(names), account, turn
  ON CONFLICT (host, account_id) DO UPDATE SET at = excluded.at;
  RETURN QUERY SELECT extract(epoch FROM turn - moment)::float8, true;
END $$;

-- Removal of a project ends its work on backlinks at once; its rows go with it.
CREATE FUNCTION abandon_backlinks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM backlink_sites WHERE id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER projects_abandon_backlinks AFTER UPDATE OF account_id ON projects FOR EACH ROW
  WHEN (NEW.account_id IS NULL) EXECUTE FUNCTION abandon_backlinks();
