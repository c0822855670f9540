-- Sites whose backlinks are looked at, in rounds: a round is leased work.
CREATE TABLE backlink_sites (
  id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  next_at timestamptz NOT NULL,
  -- Rounds in succession in which most hosts did not answer.
  failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease uuid,
  leased_until timestamptz,
  CHECK ((lease IS NULL) = (leased_until IS NULL))
);
CREATE INDEX backlink_sites_due ON backlink_sites (next_at);
CREATE INDEX backlink_sites_leased ON backlink_sites (leased_until) WHERE lease IS NOT NULL;

-- When a host may be asked again, over all nodes, projects and accounts.
CREATE TABLE backlink_hosts (
  host text PRIMARY KEY,
  next_at timestamptz NOT NULL
);

CREATE OR REPLACE FUNCTION abandon_backlinks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM backlink_imports WHERE project_id = OLD.id;
  DELETE FROM backlink_sites WHERE id = OLD.id;
  RETURN NULL;
END $$;
