-- Of an audit that is the median of several runs: how many there were, and how far their values lay apart.
ALTER TABLE audits ADD COLUMN spread json;
CREATE TRIGGER audits_spread_final BEFORE UPDATE OF spread ON audits FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit();
