import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"

/**
 * Fits the transaction at hand for work on whole sites: room to sort in (more makes large imports no faster, and several sorts are
 * under way at once), and no nested loops. Whatever the statistics say of a site that is new,
 * it has rows by the million at times, and a loop over two such sets would never end. What loops all the same looks so dear then that it would be
 * compiled first, statement by statement.
 */
export const bulkWork = (sql: SqlClient.SqlClient) =>
  Effect.orDie(sql`
    SELECT set_config('work_mem', '24MB', true), set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true),
      set_config('gin_pending_list_limit', '64MB', true)`)
