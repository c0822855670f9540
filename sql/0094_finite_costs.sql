-- Sums of money are numbers: PostgreSQL's numeric also knows infinity and what is no number, and one of either would be the sum of a day.
-- What was charged so, by engines that told such a usage, is charged at what was reserved.
UPDATE geo_calls SET cost_usd = reserved_usd WHERE cost_usd >= 'Infinity';
UPDATE geo_budgets SET charged_usd = (SELECT coalesce(sum(coalesce(cost_usd, reserved_usd)), 0) FROM geo_calls WHERE reserved_on = day)
WHERE charged_usd >= 'Infinity';
ALTER TABLE geo_calls ADD CONSTRAINT geo_calls_reserved_finite CHECK (reserved_usd < 'Infinity'),
  ADD CONSTRAINT geo_calls_cost_finite CHECK (cost_usd < 'Infinity');
ALTER TABLE geo_budgets ADD CONSTRAINT geo_budgets_finite CHECK (charged_usd < 'Infinity');
