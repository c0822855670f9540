-- Changes that go through a connector, from the proposal to the rollback. Those that are recorded by hand are as before: in `connector` the system that they
-- went through, and `deployed_at` and `rolled_back_at` say where they stand, also where a node of an earlier release wrote them.
ALTER TABLE interventions
  -- A reason without a rollback: one may be under way now.
  DROP CONSTRAINT interventions_check1,
  ALTER COLUMN deployed_at DROP NOT NULL,
  ADD COLUMN status text NOT NULL DEFAULT 'deployed' CHECK (status IN
    ('proposed', 'merged', 'deployed', 'not_verified', 'closed', 'rolling_back', 'rolled_back', 'conflict')),
  ADD COLUMN created_at timestamptz,
  -- The fault that it repairs: a run, a rule and a URL.
  ADD COLUMN finding json,
  -- What is asked of the connector and what came of it; at most one of the two.
  ADD COLUMN github json,
  ADD COLUMN wordpress json,
  ADD COLUMN error text,
  ADD COLUMN merged_at timestamptz,
  -- The run that is to verify it, and the one that did. They may be removed by their age.
  ADD COLUMN verify_run_id uuid,
  ADD COLUMN verified_by_run_id uuid,
  -- How many of the times at which it is verified are over.
  ADD COLUMN verifications integer NOT NULL DEFAULT 0 CHECK (verifications >= 0),
  -- Whether a request waits for the next turn of a worker.
  ADD COLUMN is_asked boolean NOT NULL DEFAULT false,
  -- Turns that were begun: after the first one a worker may have died in the middle of its requests.
  ADD COLUMN turns integer NOT NULL DEFAULT 0,
  ADD COLUMN due_at timestamptz,
  ADD COLUMN attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  ADD COLUMN lease uuid,
  ADD COLUMN leased_until timestamptz,
  ADD CHECK ((lease IS NULL) = (leased_until IS NULL)),
  ADD CHECK (reason IS NULL OR rolled_back_at IS NOT NULL OR status = 'rolling_back'),
  ADD CHECK (github IS NULL OR wordpress IS NULL),
  ADD CHECK (status <> 'deployed' OR deployed_at IS NOT NULL);
UPDATE interventions SET created_at = least(deployed_at, statement_timestamp()),
  status = CASE WHEN rolled_back_at IS NULL THEN 'deployed' ELSE 'rolled_back' END;
ALTER TABLE interventions ALTER COLUMN created_at SET NOT NULL, ALTER COLUMN created_at SET DEFAULT clock_timestamp();
CREATE INDEX interventions_list ON interventions (project_id, created_at DESC, id DESC);
CREATE INDEX interventions_due ON interventions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX interventions_leased ON interventions (leased_until) WHERE lease IS NOT NULL;
