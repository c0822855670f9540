-- Claims and acceptances are not waited for until they are on the disk, so a crash of the database can undo what a worker knows, or keep what it never
-- heard of. What is unlogged is gone after a crash, and on a standby that takes over: a worker that misses its mark asks what it really holds.
CREATE UNLOGGED TABLE webhook_worker_marks (worker uuid PRIMARY KEY);
