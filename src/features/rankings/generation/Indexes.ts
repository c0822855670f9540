import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Traced from "../../../foundation/schema/Traced.ts"

/** Records with queries that are searched as one text; measured by test/bench/rankings.ts. */
export const blockLength = 32

/**
 * A generation of so many records is indexed by a worker after the commit, so that an import need not wait. Until then its lists are sorted for each page, and
 * its records are searched one by one.
 */
export const manyRecords = 25_000

/** Indexes generations for searches, and for lists in other orders than the default. */
export class IndexesRepo extends Effect.Service<IndexesRepo>()("rankings/generation/IndexesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const length = sql.literal(String(blockLength))

    /** Blocks are inserted in the order of the list, which is cheaper than finding a place for each. */
    const blocks = (generation: string) => sql`
      INSERT INTO ranking_blocks (generation, impressions, clicks, key, records, queries)
      SELECT ${generation}::bigint, min(impressions), (array_agg(clicks) FILTER (WHERE ends_block))[1],
        (array_agg(key) FILTER (WHERE ends_block))[1], count(*), string_agg(ranking_searchable(coalesce(folded, query)), chr(10))
      FROM (
        SELECT *, (row_number() OVER list - 1) / ${length} AS block,
          row_number() OVER list % ${length} = 0 OR lead(key) OVER list IS NULL AS ends_block
        FROM rankings WHERE generation = ${generation}::bigint WINDOW list AS (ORDER BY -impressions, -clicks, key)
      ) AS list GROUP BY block ORDER BY block`

    /** Runs once for each generation. */
    const make = Traced.fn("IndexesRepo.make")(function* (generation: string) {
      yield* blocks(generation)
      yield* sql`SELECT order_rankings(${generation}::bigint)`
    }, Effect.orDie)

    /** Empties the search index's pending list, which searches would otherwise read until the next vacuum. */
    const settleSearch = Effect.orDie(sql`SELECT gin_clean_pending_list('ranking_blocks_search')`)

    /** Renews the planner's statistics. */
    const analyse = Effect.orDie(sql`ANALYZE ranking_blocks, ranking_orders`)

    return { analyse, make, settleSearch }
  })
}) {}
