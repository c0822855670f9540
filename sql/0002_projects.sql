CREATE TABLE projects (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL CHECK (name <> ''),
  -- The site's root: scheme, host, port where not the default, and the path "/".
  url text NOT NULL,
  host text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX projects_list ON projects (account_id, created_at, id);
