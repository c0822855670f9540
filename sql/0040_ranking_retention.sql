-- Imports hold the tables from the moment when they make sure of their partitions: none is dropped before they have written.
CREATE OR REPLACE FUNCTION ensure_ranking_partitions(first date, last date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  month date;
  name text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['ranking_query_facts', 'ranking_page_facts', 'ranking_property_facts'] LOOP
    EXECUTE format('LOCK TABLE ONLY %I IN ROW EXCLUSIVE MODE', parent);
    month := date_trunc('month', first);
    WHILE month <= last LOOP
      name := parent || '_' || to_char(month, 'YYYY_MM');
      IF to_regclass(name) IS NULL THEN
        EXECUTE format('LOCK TABLE ONLY %I IN SHARE UPDATE EXCLUSIVE MODE', parent);
        IF to_regclass(name) IS NULL THEN
          EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', name, parent);
          EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
            parent, name, month, (month + interval '1 month')::date);
        END IF;
      END IF;
      month := (month + interval '1 month')::date;
    END LOOP;
  END LOOP;
END $$;

-- The partitions of months before one.
CREATE FUNCTION ranking_partitions_before(month date) RETURNS SETOF regclass LANGUAGE sql STABLE AS $$
  SELECT inhrelid::regclass FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
  WHERE inhparent IN ('ranking_query_facts'::regclass, 'ranking_page_facts'::regclass, 'ranking_property_facts'::regclass)
    AND right(relname, 7) < to_char(month, 'YYYY_MM')
$$;

-- Drops them. Whoever reads facts waits meanwhile, so this must neither wait long for the locks nor do anything else that takes time.
CREATE FUNCTION drop_ranking_partitions(before date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  partition regclass;
BEGIN
  LOCK TABLE ONLY ranking_query_facts, ONLY ranking_page_facts, ONLY ranking_property_facts IN ACCESS EXCLUSIVE MODE;
  FOR partition IN SELECT * FROM ranking_partitions_before(before) LOOP
    EXECUTE format('DROP TABLE %s', partition);
  END LOOP;
END $$;
