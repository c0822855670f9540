-- Google counts URL inspections by property, whoever asks, so only credentials that it accepts for the property may use its quota. New ones are tried by one
-- request at a time until one is answered; a refusal pauses them alone.
ALTER TABLE ranking_sources
  ADD COLUMN inspection_accepted boolean NOT NULL DEFAULT false,
  -- Refusals since they were last accepted: each makes the next pause longer.
  ADD COLUMN inspection_refusals integer NOT NULL DEFAULT 0 CHECK (inspection_refusals >= 0),
  ADD COLUMN inspection_paused_until timestamptz,
  -- Until when the request that tries them may take; a worker that died leaves it to the next one.
  ADD COLUMN inspection_trial_until timestamptz;

ALTER TABLE inspection_quotas DROP COLUMN paused_until;
