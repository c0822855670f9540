-- A page of growth projects is read in its order, instead of sorting all of the account's for each.
CREATE INDEX growth_projects_list ON growth_projects (account_id, created_at, id);
