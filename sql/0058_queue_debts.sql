-- Until when other accounts go first in a queue: as long after an account's work as that work took. A time of the past means nothing.
CREATE TABLE queue_debts (
  queue text NOT NULL,
  account uuid NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (queue, account)
);
