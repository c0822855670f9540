-- A host, `www.` ignored, is one project of an account: this finds it. Doubles from before stay, so it is not unique.
CREATE INDEX projects_host ON projects (account_id, host);
