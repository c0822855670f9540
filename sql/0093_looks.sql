-- Pages of others that the accounts of a plan may look at on one day, by UTC.
ALTER TABLE plans ADD COLUMN looks_per_day integer NOT NULL DEFAULT 200 CHECK (looks_per_day >= 0);
UPDATE plans SET looks_per_day = CASE id WHEN 'starter' THEN 500 WHEN 'growth_pro' THEN 2000 WHEN 'agency_team' THEN 20000 ELSE 200 END;
ALTER TABLE plans ALTER COLUMN looks_per_day DROP DEFAULT;

-- Pages that an account has looked at on its newest day with looks.
CREATE TABLE backlink_looks (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  day date NOT NULL,
  pages integer NOT NULL CHECK (pages > 0)
);

-- The newest request of an account to a server or domain, made or to come. Rows live for minutes.
CREATE TABLE backlink_turns (
  host text NOT NULL,
  account_id uuid NOT NULL,
  at timestamptz NOT NULL,
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

-- Looks fail for one reason, whatever the network said.
UPDATE backlinks SET reason = 'no_answer' WHERE reason IN ('timed_out', 'connection_failed');
