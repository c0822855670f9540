-- What is known of a day's queries by country and device, on the rows of level 'queries'. 'complete' and 'partial': the Search Console API was asked
-- for it beside the queries themselves, which alone are the whole; 'partial' where the API's limit of rows cut it off. 'bulk': a bulk export has it,
-- and it adds up to the whole. Null: nobody asked.
ALTER TABLE ranking_days ADD COLUMN segments text,
  ADD CHECK (segments IS NULL OR (segments IN ('complete', 'partial', 'bulk') AND level = 'queries'));

-- A synchronised day that a bulk export may have replaced is not asked for again.
UPDATE ranking_days d SET segments = 'bulk' WHERE level = 'queries' AND whole AND EXISTS (
  SELECT FROM ranking_sites s JOIN ranking_imports i ON i.site_id = s.site_id AND i.source = 'bigquery'
  WHERE s.number = d.site AND d.day BETWEEN i.first_day AND i.last_day
);
