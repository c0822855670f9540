-- Records of a list by status, counted when it is made. Null in lists that a release before made: they are counted when they are read.
ALTER TABLE ranking_generations ADD COLUMN statuses json;
