-- Whether a list has orders is looked up by their primary key. As an existence alone it was answered by a scan of the orders of all sites: 30 ms an import
-- beside a site of a million queries, since a list without any row is one that the statistics cannot know.
CREATE OR REPLACE FUNCTION order_former_rankings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT generation FROM ranking_orders WHERE generation = NEW.id ORDER BY generation, sort, ranking_status, value, key LIMIT 1) IS NULL THEN
    PERFORM order_rankings(NEW.id);
  END IF;
  RETURN NULL;
END $$;
