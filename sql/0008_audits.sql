-- The host and port of a URL in the form of the URL standard, without `www.` unless only one label would remain.
CREATE FUNCTION site_of_address(address text) RETURNS text LANGUAGE sql IMMUTABLE RETURN
  regexp_replace(substring(address FROM '^[a-z]+://(?:[^/?#@]*@)?([^/?#]+)'), '^www[.](?=[^.]+[.])', '');

-- Recurring audits. A schedule is its own queue: a due row is claimed, audited, and moved to its next slot.
CREATE TABLE audit_schedules (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
  device text NOT NULL CHECK (device IN ('mobile', 'desktop')),
  source text NOT NULL CHECK (source IN ('lighthouse', 'psi')),
  every text NOT NULL, every_minutes integer NOT NULL CHECK (every_minutes BETWEEN 15 AND 525600),
  next_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Attempts at the due slot, counted at each claim.
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  -- The lease of the auditing worker; nobody else may write to the schedule.
  lease uuid, leased_until timestamptz CHECK ((lease IS NULL) = (leased_until IS NULL)),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (account_id, url, device)
);
CREATE INDEX audit_schedules_list ON audit_schedules (account_id, created_at, id);
CREATE INDEX audit_schedules_due ON audit_schedules (source, next_at);
CREATE INDEX audit_schedules_turns ON audit_schedules (source, account_id, next_at);
CREATE INDEX audit_schedules_leased ON audit_schedules (leased_until) WHERE lease IS NOT NULL;

CREATE TABLE audits (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  status text NOT NULL CHECK (status IN ('completed', 'failed')),
  source text NOT NULL CHECK (source IN ('lighthouse', 'psi', 'import')),
  url text NOT NULL,
  -- Null for reports without a device.
  device text CHECK (device IN ('mobile', 'desktop')),
  lighthouse_version text,
  -- The original text, number by number, which the type json keeps.
  report json, fixes json,
  -- The source of each metric: the lab, or users of the page or of its origin.
  metric_sources json,
  failure json,
  schedule_id uuid REFERENCES audit_schedules ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The report's time of measurement, which is before the record's time for an imported report.
  measured_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- For the median of several runs: the number of runs, and the spread of their values.
  spread json,
  CHECK ((status = 'completed') = (report IS NOT NULL)), CHECK ((status = 'completed') = (fixes IS NOT NULL)),
  CHECK ((status = 'completed') = (metric_sources IS NOT NULL)),
  CHECK (status <> 'completed' OR lighthouse_version IS NOT NULL),
  CHECK ((status = 'failed') = (failure IS NOT NULL))
);
CREATE INDEX audits_list ON audits (account_id, created_at DESC, id DESC);
CREATE INDEX audits_measured ON audits (account_id, measured_at DESC, created_at DESC, id DESC);
-- An account's audits of one page, newest first. URLs can be longer than an index entry, so their digest is indexed.
CREATE INDEX audits_of_page ON audits (account_id, md5(url), created_at DESC, id DESC);
CREATE INDEX audits_of_page_measured ON audits (account_id, md5(url), measured_at DESC, created_at DESC, id DESC);
-- An account's audits of the pages of a project, by its host.
CREATE INDEX audits_of_site ON audits (account_id, md5(site_of_address(url)), created_at DESC, id DESC);
CREATE INDEX audits_of_site_measured ON audits (account_id, md5(site_of_address(url)), measured_at DESC, created_at DESC, id DESC);
CREATE INDEX audits_of_schedule ON audits (schedule_id) WHERE schedule_id IS NOT NULL;
CREATE INDEX audits_age ON audits (created_at, id);

-- An audit is a past measurement and never changes; only its schedule may be removed.
CREATE FUNCTION refuse_change_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit % is %, which is final', OLD.id, OLD.status USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER audits_final BEFORE UPDATE OF id, account_id, status, source, url, device, lighthouse_version, report, fixes,
  metric_sources, failure, created_at, measured_at ON audits FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit();
CREATE TRIGGER audits_spread_final BEFORE UPDATE OF spread ON audits FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit();
CREATE TRIGGER audits_schedule BEFORE UPDATE OF schedule_id ON audits FOR EACH ROW
  WHEN (NEW.schedule_id IS NOT NULL) EXECUTE FUNCTION refuse_change_of_audit();
