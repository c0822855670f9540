-- What the search data of a generation say to do, and the click curves of its site: a page of any list is read by its key.
CREATE TABLE ranking_opportunities (
  generation bigint NOT NULL REFERENCES ranking_generations ON DELETE CASCADE,
  kind text NOT NULL,
  -- Empty for all devices.
  device text NOT NULL,
  -- The filter: true for queries of the brand, false for the others, null has its own word because keys have no nulls.
  brand text NOT NULL CHECK (brand IN ('any', 'true', 'false')),
  place integer NOT NULL CHECK (place > 0),
  record text NOT NULL,
  PRIMARY KEY (generation, kind, device, brand, place)
);

CREATE TABLE ranking_curves (
  generation bigint NOT NULL REFERENCES ranking_generations ON DELETE CASCADE,
  device text NOT NULL,
  brand boolean NOT NULL,
  position smallint NOT NULL,
  rows bigint NOT NULL,
  impressions bigint NOT NULL,
  clicks bigint NOT NULL,
  ctr double precision NOT NULL,
  low double precision NOT NULL,
  high double precision NOT NULL,
  PRIMARY KEY (generation, device, brand, position)
);

-- `opportunities`: the windows of the lists, and which of them could not be made. `brand_folded`: the terms that they tell the brand by. Both are null in
-- generations that a release before computed, or computes beside this one: a worker makes their lists.
ALTER TABLE ranking_generations ADD COLUMN opportunities json, ADD COLUMN brand_folded text[];
