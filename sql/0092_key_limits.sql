-- How many usable keys an account of each plan may have. An operator's command may make more.
ALTER TABLE plans ADD COLUMN keys integer;
UPDATE plans SET keys = CASE id WHEN 'free' THEN 5 WHEN 'starter' THEN 10 WHEN 'growth_pro' THEN 25 ELSE 100 END;
ALTER TABLE plans ALTER COLUMN keys SET NOT NULL;

-- Who made a key: an operator's command, the link to a session of the console, or another key. And when another key took its place.
ALTER TABLE api_keys
  ADD COLUMN origin text NOT NULL DEFAULT 'operator' CHECK (origin IN ('operator', 'session', 'api')),
  ADD COLUMN rotated_at timestamptz;
