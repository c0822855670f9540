-- The names that a site's owners are looked for by, as written and as search queries are folded.
ALTER TABLE projects
  ADD COLUMN brand_terms text[] NOT NULL DEFAULT '{}',
  ADD COLUMN brand_folded text[] NOT NULL DEFAULT '{}';
