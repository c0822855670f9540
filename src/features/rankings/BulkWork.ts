import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/**
 * Sets up the transaction for work on whole sites. Memory for sorts: more makes large imports no faster, and several sorts run at once. No nested
 * loops: a new site may have millions of rows that the statistics do not know yet, and a loop over two such sets would not end. No JIT: a plan that must
 * loop anyway then looks so expensive that each statement would be compiled first.
 */
export const bulkWork = (sql: SqlClient.SqlClient) =>
  Effect.orDie(sql`
    SELECT set_config('work_mem', '24MB', true), set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true),
      set_config('gin_pending_list_limit', '64MB', true)`)
