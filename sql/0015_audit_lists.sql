-- An account's audits of one page, newest first. Addresses can be longer than an index entry: their digest stands for them.
CREATE INDEX audits_of_page ON audits (account_id, md5(url), created_at DESC, id DESC);
CREATE INDEX audit_schedules_list ON audit_schedules (account_id, created_at, id);
