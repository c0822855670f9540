-- The planner writes a function's text into a statement only when the function promises no more than its text: `to_char` is stable. A page of a list
-- called this one for each time in it, at a cost of its own.
ALTER FUNCTION iso(timestamptz) STABLE;
