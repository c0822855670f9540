-- Lists of rankings by clicks, by position and by movement, forward and backward. A list of all statuses merges the lists of the five, each of which an
-- index has in order, so one index serves an order with and without a status. Only lost records have no position: they are a list of their own.
CREATE INDEX rankings_clicks ON rankings (generation, ranking_status, (-clicks), key);
CREATE INDEX rankings_position ON rankings (generation, ranking_status, current_position, key);
CREATE INDEX rankings_delta ON rankings (generation, ranking_status, (-position_delta), key);
