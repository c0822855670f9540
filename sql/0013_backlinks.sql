-- Pages that link to a site, one row each, with the results of our checks. Data of exports are in backlink_reports.
CREATE TABLE backlinks (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  source_url text NOT NULL CHECK (length(source_url) <= 2048),
  -- Host with its port, for the distance between requests.
  source_host text NOT NULL,
  -- Host without www, and the registered domain above it. The domain's authority counts for a host without its own.
  source_domain text COLLATE "C" NOT NULL, root_domain text NOT NULL,
  target_url text, anchor_text text,
  rel text[] NOT NULL DEFAULT '{}',
  state text NOT NULL DEFAULT 'unknown' CHECK (state IN ('live', 'page_gone', 'link_removed', 'redirected', 'blocked', 'unknown')),
  reason text NOT NULL DEFAULT 'not_checked',
  http_status integer,
  first_seen_at timestamptz NOT NULL, last_live_at timestamptz, checked_at timestamptz,
  -- The first check without the link since the last one with it.
  gone_since timestamptz,
  lost_at timestamptz CHECK (lost_at IS NULL OR last_live_at IS NOT NULL),
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (project_id, source_url)
);
CREATE INDEX backlinks_list ON backlinks (project_id, created_at DESC, id DESC);
CREATE INDEX backlinks_domain ON backlinks (project_id, source_domain);
CREATE INDEX backlinks_due ON backlinks (project_id, due_at);

-- Data of a tool's exports about a page. Absence from an export proves nothing, so the times stay.
CREATE TABLE backlink_reports (
  backlink_id uuid NOT NULL REFERENCES backlinks ON DELETE CASCADE,
  source text NOT NULL,
  target_url text, anchor_text text,
  rel text[] NOT NULL DEFAULT '{}',
  first_reported_at timestamptz NOT NULL, last_reported_at timestamptz NOT NULL,
  PRIMARY KEY (backlink_id, source)
);

-- Data of a tool's exports about a domain.
CREATE TABLE backlink_domains (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  domain text COLLATE "C" NOT NULL CHECK (domain <> ''),
  source text NOT NULL, root_domain text NOT NULL,
  authority double precision CHECK (authority BETWEEN 0 AND 100), authority_at timestamptz,
  reported_links bigint CHECK (reported_links >= 0),
  -- Times in lists of domains; null for a domain that only its pages prove.
  first_listed_at timestamptz, last_listed_at timestamptz,
  missing_since timestamptz, lost_at timestamptz,
  PRIMARY KEY (project_id, domain, source)
);
-- A list may prove a million domains lost, which are read in order, some at a time.
CREATE INDEX backlink_domains_lost ON backlink_domains (project_id, source, lost_at, domain) WHERE lost_at IS NOT NULL;

-- Imported lists of domains. A list proves no absence if it has less than half the domains of the previous list.
CREATE TABLE backlink_lists (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  source text NOT NULL, taken_at timestamptz NOT NULL, domains integer NOT NULL, is_partial boolean NOT NULL,
  PRIMARY KEY (project_id, source, taken_at)
);

-- The first million of a Common Crawl web graph: names by harmonic centrality, shared by all sites.
CREATE TABLE backlink_ranks (domain text PRIMARY KEY, rank integer NOT NULL CHECK (rank >= 1), as_of timestamptz NOT NULL);

-- Authority of a name, or else of the name above it: a high authority first, then the newest.
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

-- Changes of backlinks.
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

-- Sites with checks of backlinks, in rounds; a round is leased work.
CREATE TABLE backlink_sites (
  id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  next_at timestamptz NOT NULL,
  -- Consecutive rounds without a response from most hosts.
  failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease uuid, leased_until timestamptz CHECK ((lease IS NULL) = (leased_until IS NULL))
);
CREATE INDEX backlink_sites_due ON backlink_sites (next_at);
CREATE INDEX backlink_sites_leased ON backlink_sites (leased_until) WHERE lease IS NOT NULL;

-- The earliest time of the next request to a server or domain, over all nodes, projects and accounts.
CREATE TABLE backlink_hosts (host text PRIMARY KEY, next_at timestamptz NOT NULL);

-- Pages that an account has checked on its newest day with checks.
CREATE TABLE backlink_looks (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  day date NOT NULL, pages integer NOT NULL CHECK (pages > 0)
);

-- The newest request of an account to a server or domain, sent or reserved. Rows live for minutes.
CREATE TABLE backlink_turns (
  host text NOT NULL, account_id uuid NOT NULL, at timestamptz NOT NULL,
  PRIMARY KEY (host, account_id)
);

-- Reserves the next request of an account to a server with these names (IP addresses, a domain), `pause` seconds after the last one to any of them. An account
-- has one reserved request per name, so accounts take turns. Returns the seconds until the request, or, not reserved, until the account may try again; no row
-- for a request later than `within` seconds from now. Impossible times, after the clock was set back, are ignored.
CREATE FUNCTION reserve_look(account uuid, names text[], pause double precision, within double precision, longest double precision)
RETURNS TABLE (wait double precision, is_reserved boolean) LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz;
  own timestamptz;
  turn timestamptz;
BEGIN
  -- Rows are created or locked in one order, so two requests with common names wait for each other.
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

-- The removal of a project immediately ends its work on backlinks and removes its rows.
CREATE FUNCTION abandon_backlinks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM backlink_sites WHERE id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER projects_abandon_backlinks AFTER UPDATE OF account_id ON projects FOR EACH ROW
  WHEN (NEW.account_id IS NULL) EXECUTE FUNCTION abandon_backlinks();
