-- Falls of search traffic that are under way, of a page or, with an empty path, of the whole site: the clicks of the window before it began, and how much
-- weeks varied then. `told`: an event was published.
CREATE TABLE ranking_traffic_falls (
  site_id uuid REFERENCES projects ON DELETE CASCADE,
  page_path text,
  before double precision NOT NULL,
  variance double precision NOT NULL,
  freedom integer NOT NULL,
  told boolean NOT NULL,
  began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (site_id, page_path)
);
