-- A code in a link to the console: whoever opens the link first gets a key with these scopes, for this long. Only its hash is stored.
CREATE TABLE console_codes (
  hash bytea PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  scopes text[] NOT NULL,
  lasts interval NOT NULL,
  expires_at timestamptz NOT NULL
);
