-- A run that looks again at what another one found, of some rules or (null) of all.
ALTER TABLE site_health_runs
  ADD COLUMN verify uuid REFERENCES site_health_runs ON DELETE CASCADE,
  ADD COLUMN verify_rules json,
  ADD CHECK (verify_rules IS NULL OR verify IS NOT NULL);
CREATE INDEX site_health_runs_verify ON site_health_runs (verify) WHERE verify IS NOT NULL;
