-- Credentials by which the sites of a project are changed, sealed.
CREATE TABLE github_connectors (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  credentials text NOT NULL,
  -- Until when GitHub wants no more requests with this token.
  paused_until timestamptz
);
CREATE TABLE wordpress_connectors (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  credentials text NOT NULL
);

-- With a project its credentials go at once.
CREATE FUNCTION abandon_connectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM github_connectors WHERE project_id = OLD.id;
  DELETE FROM wordpress_connectors WHERE project_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER projects_abandon_connectors AFTER UPDATE OF account_id ON projects FOR EACH ROW
  WHEN (NEW.account_id IS NULL) EXECUTE FUNCTION abandon_connectors();
