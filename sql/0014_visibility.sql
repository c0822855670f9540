-- AI engines' scores of a site's brand at one time, in points; null if not measured. Imports may include the number of answers behind a citation rate.
CREATE TABLE visibility_snapshots (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  engine text NOT NULL CHECK (engine <> ''),
  taken_at timestamptz NOT NULL,
  sentiment double precision CHECK (sentiment BETWEEN -100 AND 100),
  citation_rate double precision CHECK (citation_rate BETWEEN 0 AND 100),
  answers integer CHECK (answers > 0), cited integer CHECK (cited >= 0),
  PRIMARY KEY (project_id, engine, taken_at),
  CHECK (sentiment IS NOT NULL OR citation_rate IS NOT NULL),
  CHECK ((answers IS NULL) = (cited IS NULL)), CHECK (cited <= answers)
);

-- A project's prompts for AI engines.
CREATE TABLE visibility_prompts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  text text NOT NULL CHECK (text <> ''), locale text NOT NULL CHECK (locale <> ''),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX visibility_prompts_text ON visibility_prompts (project_id, locale, md5(text));
CREATE INDEX visibility_prompts_list ON visibility_prompts (project_id, created_at, id);

-- One round of prompts. Prompts and evaluation are fixed at its creation.
CREATE TABLE visibility_runs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'completed', 'partial', 'failed')),
  engines text[] NOT NULL,
  repeats integer NOT NULL CHECK (repeats BETWEEN 1 AND 10),
  -- Names of the brand, and the host of the site.
  names text[] NOT NULL, host text NOT NULL,
  -- The texts and locales of its prompts as one value; only runs with an equal value are compared.
  prompt_set text NOT NULL,
  reason text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(), finished_at timestamptz,
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease uuid, leased_until timestamptz CHECK ((lease IS NULL) = (leased_until IS NULL)),
  CHECK ((finished_at IS NULL) = (status IN ('queued', 'running')))
);
-- One run of a project at a time, because changes are found between consecutive runs.
CREATE UNIQUE INDEX visibility_runs_in_progress ON visibility_runs (project_id) WHERE finished_at IS NULL;
-- For the list of runs, and for the removal of old ones.
CREATE INDEX visibility_runs_list ON visibility_runs (project_id, created_at DESC, id DESC);
CREATE INDEX visibility_runs_aged ON visibility_runs (finished_at, id);
CREATE INDEX visibility_runs_finished ON visibility_runs (project_id, finished_at DESC, id DESC);
CREATE INDEX visibility_runs_account ON visibility_runs (account_id);
CREATE INDEX visibility_runs_queue ON visibility_runs (account_id, created_at) WHERE status = 'queued';
CREATE INDEX visibility_runs_leased ON visibility_runs (leased_until) WHERE lease IS NOT NULL;

-- A prompt to an engine, the answer and the cost. `sent`: the call may be running, and its reservation stays charged until the cost is known.
CREATE TABLE visibility_calls (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  run_id uuid NOT NULL REFERENCES visibility_runs ON DELETE CASCADE,
  project_id uuid NOT NULL, number integer NOT NULL,
  prompt_id uuid NOT NULL, prompt text NOT NULL, locale text NOT NULL,
  -- Whether the prompt has a name of the brand, so a mention in its answer says nothing.
  is_named boolean NOT NULL,
  engine text NOT NULL, tool text NOT NULL, repeat integer NOT NULL, model text NOT NULL,
  status text NOT NULL DEFAULT 'planned' CHECK (status IN ('planned', 'sent', 'done')),
  -- PostgreSQL's numeric includes infinity, which would spoil the sum of a day.
  reserved_usd numeric NOT NULL DEFAULT 0 CHECK (reserved_usd >= 0 AND reserved_usd < 'Infinity'), reserved_on date,
  cost_usd numeric CHECK (cost_usd >= 0 AND cost_usd < 'Infinity'), cost_exact boolean,
  outcome text CHECK (outcome IN ('cited', 'mentioned', 'absent', 'not_searched', 'refused', 'error')),
  is_mentioned boolean NOT NULL DEFAULT false,
  answer text, citations json, error json,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(), answered_at timestamptz,
  CHECK ((status = 'done') = (outcome IS NOT NULL)),
  CHECK ((outcome = 'error') = (error IS NOT NULL)),
  UNIQUE (run_id, number)
);
CREATE INDEX visibility_calls_list ON visibility_calls (project_id, created_at DESC, id DESC) WHERE status = 'done';
-- For the calls and the cost of a run, without its answers.
CREATE INDEX visibility_calls_counts ON visibility_calls (run_id) INCLUDE (outcome, cost_usd, reserved_usd);
-- Running calls. A budget is used up when it has no room and no call is running.
CREATE INDEX visibility_calls_sent ON visibility_calls (run_id) WHERE status = 'sent';

-- The charge of a UTC day over all projects: reservations, which costs replace.
CREATE TABLE visibility_budgets (day date PRIMARY KEY, charged_usd numeric NOT NULL CHECK (charged_usd >= 0 AND charged_usd < 'Infinity'));

-- The baseline for the newest runs. A change is published when two consecutive runs show it.
CREATE TABLE visibility_baselines (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  engine text NOT NULL, model text NOT NULL, tool text NOT NULL, prompt_set text NOT NULL,
  run_id uuid NOT NULL REFERENCES visibility_runs ON DELETE CASCADE,
  -- The sign of a significant change in the last run, −1 or 1.
  pending integer CHECK (pending IN (-1, 1)),
  PRIMARY KEY (project_id, engine, model, tool, prompt_set)
);
CREATE INDEX visibility_baselines_run ON visibility_baselines (run_id);

-- Recurring runs of AI visibility. The text of the interval is kept as written.
CREATE TABLE visibility_schedules (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  every text NOT NULL, every_minutes integer NOT NULL CHECK (every_minutes BETWEEN 360 AND 43200),
  engines text[] NOT NULL CHECK (cardinality(engines) > 0),
  repeats integer NOT NULL CHECK (repeats BETWEEN 1 AND 10),
  next_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_run_id uuid REFERENCES visibility_runs ON DELETE SET NULL,
  skipped_at timestamptz, skipped_reason text,
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease uuid, leased_until timestamptz CHECK ((lease IS NULL) = (leased_until IS NULL)),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((skipped_at IS NULL) = (skipped_reason IS NULL))
);
CREATE INDEX visibility_schedules_list ON visibility_schedules (project_id, created_at, id);
CREATE INDEX visibility_schedules_turns ON visibility_schedules (account_id, next_at);
CREATE INDEX visibility_schedules_run ON visibility_schedules (last_run_id);
CREATE INDEX visibility_schedules_due ON visibility_schedules (next_at);
CREATE INDEX visibility_schedules_leased ON visibility_schedules (leased_until) WHERE lease IS NOT NULL;

-- A deleted project stops spending; its other rows are deleted with the project.
CREATE FUNCTION abandon_visibility_runs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM visibility_schedules WHERE project_id = OLD.id;
  DELETE FROM visibility_runs WHERE project_id = OLD.id AND finished_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER projects_abandon_visibility AFTER UPDATE OF account_id ON projects FOR EACH ROW WHEN (NEW.account_id IS NULL) EXECUTE FUNCTION abandon_visibility_runs();
