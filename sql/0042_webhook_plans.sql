-- A claim, an acceptance and a look into the queue are planned once a session. For so few rows a plan of their own seems cheaper each time, and making
-- it takes two thirds of the time of the statement.
ALTER FUNCTION poll_webhook_queue(text, integer) SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION claim_webhook_deliveries(uuid, text[], integer[], timestamptz[]) SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION accept_webhook_deliveries(uuid, text[], text[], integer[], text[]) SET plan_cache_mode = force_generic_plan;
