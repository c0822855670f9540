-- The parts of a list that are searched as one text are called blocks.
ALTER TABLE ranking_stretches RENAME TO ranking_blocks;
ALTER INDEX ranking_stretches_order RENAME TO ranking_blocks_order;
ALTER INDEX ranking_stretches_search RENAME TO ranking_blocks_search;
