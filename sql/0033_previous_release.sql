-- Nodes of the release before go on while the new ones are started. These names of theirs were taken away or given another meaning, so that they
-- could neither start runs with a key nor search, and the runs that they executed were lost with the events that end them.

-- Searches: a block was a stretch.
CREATE VIEW ranking_stretches AS SELECT generation, impressions, clicks, key, records, queries FROM ranking_blocks;

-- Idempotency keys. One that stands for something else than a run stands for a run that is not there, so that its request differs: 409.
CREATE VIEW site_health_keys AS
  SELECT account_id, key, request, coalesce(run_id, '00000000-0000-0000-0000-000000000000') AS run_id FROM idempotency_keys;
CREATE FUNCTION keep_site_health_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO idempotency_keys (account_id, key, request, run_id) VALUES (NEW.account_id, NEW.key, NEW.request, NEW.run_id);
  RETURN NEW;
END $$;
CREATE TRIGGER keep INSTEAD OF INSERT ON site_health_keys FOR EACH ROW EXECUTE FUNCTION keep_site_health_key();

-- Events: what they publish is queued, and sent by nodes of this release; theirs find nothing that they could claim.
CREATE FUNCTION queue_webhook_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_queue (webhook_id, event_id, event_type, created_at)
    VALUES (NEW.webhook_id, NEW.event_id, NEW.event_type, coalesce(NEW.created_at, clock_timestamp())) RETURNING id INTO NEW.id;
  RETURN NEW;
END $$;
CREATE TRIGGER queue INSTEAD OF INSERT ON webhook_deliveries FOR EACH ROW EXECUTE FUNCTION queue_webhook_delivery();
