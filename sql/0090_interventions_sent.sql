-- The writes of a change that left for the other side, by their names. A name is stored before its write is sent, so that no worker sends it again, whatever
-- came back; a write that the other side refused for certain takes its name out.
ALTER TABLE interventions
  ADD COLUMN sent text[] NOT NULL DEFAULT '{}',
  -- A rollback that is in doubt keeps its reason.
  DROP CONSTRAINT interventions_check2,
  ADD CONSTRAINT interventions_reason CHECK (reason IS NULL OR rolled_back_at IS NOT NULL OR status IN ('rolling_back', 'conflict'));
