import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { StatusCounts } from "../Domain.ts"

/** The two windows as dates; the previous one ends on the day before `start`. */
const Periods = Schema.Struct({ previousStart: Schema.String, start: Schema.String, end: Schema.String })
type Periods = typeof Periods.Type

/** A generation that is being computed. */
interface Draft {
  readonly generation: string
  /** The site's number in facts. */
  readonly site: number
  readonly periods: Periods
}

/** Computes the rankings of one site from its facts, without reading or writing data of other sites. */
export class ComputeRepo extends Effect.Service<ComputeRepo>()("rankings/generation/ComputeRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const begin = Query.one({
      Request: Schema.Struct({ account: AccountId, site: ProjectId, ...Periods.fields }),
      Result: Schema.Struct({ id: Schema.String }),
      execute: ({ account, end, site, start }) => sql`
        INSERT INTO ranking_generations (account_id, site_id, period_start, period_end)
        VALUES (${account}, ${site}, ${start}, ${end}) RETURNING id::text`
    })

    /** Exact totals of both windows, one row a key: c = current, p = previous. */
    const sums = ({ site, periods }: Draft) => sql`
      CREATE TEMPORARY TABLE ranking_sums ON COMMIT DROP AS
      SELECT key,
        coalesce(sum(impressions) FILTER (WHERE day >= ${periods.start}::date), 0) AS c_impressions,
        coalesce(sum(clicks) FILTER (WHERE day >= ${periods.start}::date), 0) AS c_clicks,
        coalesce(sum(sum_top) FILTER (WHERE day >= ${periods.start}::date), 0) AS c_top,
        coalesce(sum(impressions) FILTER (WHERE day < ${periods.start}::date), 0) AS p_impressions,
        coalesce(sum(sum_top) FILTER (WHERE day < ${periods.start}::date), 0) AS p_top
      FROM ranking_query_facts
      WHERE site = ${site} AND counts & 1 = 1 AND day BETWEEN ${periods.previousStart}::date AND ${periods.end}::date
      GROUP BY key`

    /**
     * A whole position either way is a move; less is noise of averaging. Differences are compared as fractions over the product of both windows' impressions,
     * so rounding never hides a move of exactly one position. Records are inserted in the order of the list, which is cheaper than finding a place for each.
     * Returns the number of records, in all and by status.
     */
    const list = Query.one({
      Request: Schema.Struct({ generation: Schema.String, site: Schema.Int }),
      Result: Schema.Struct({ records: Schema.Int, ...StatusCounts.fields }),
      execute: ({ generation, site }) => sql`
        WITH records AS (
          INSERT INTO rankings (generation, ranking_status, impressions, clicks, key, current_position, previous_position, position_delta, query, page, folded)
          SELECT ${generation}::bigint,
            CASE WHEN c_impressions = 0 THEN 'lost' WHEN p_impressions = 0 THEN 'new'
                 WHEN p_top * c_impressions - c_top * p_impressions >= p_impressions * c_impressions THEN 'climbing'
                 WHEN c_top * p_impressions - p_top * c_impressions >= p_impressions * c_impressions THEN 'dropping'
                 ELSE 'stable' END,
            c_impressions::bigint AS impressions, c_clicks::bigint AS clicks, k.key,
            ranking_ratio(c_top, c_impressions), ranking_ratio(p_top, p_impressions),
            coalesce(ranking_ratio(p_top * c_impressions - c_top * p_impressions, p_impressions * c_impressions), 0), k.query, k.page, k.folded
          FROM ranking_sums s JOIN ranking_pairs k ON k.site = ${site} AND k.id = s.key
          ORDER BY impressions DESC, clicks DESC, k.key
          RETURNING ranking_status
        )
        SELECT count(*)::int AS records, count(*) FILTER (WHERE ranking_status = 'climbing')::int AS climbing,
          count(*) FILTER (WHERE ranking_status = 'dropping')::int AS dropping, count(*) FILTER (WHERE ranking_status = 'stable')::int AS stable,
          count(*) FILTER (WHERE ranking_status = 'new')::int AS new, count(*) FILTER (WHERE ranking_status = 'lost')::int AS lost
        FROM records`
    })

    /** Returns the number of records of the generation, in all and by status. */
    const compute = Traced.fn("ComputeRepo.compute")(function* (draft: Draft) {
      yield* sums(draft)
      yield* sql`ANALYZE ranking_sums`
      const { records, ...statuses } = yield* list(draft)
      return { records, statuses }
    }, Effect.orDie)

    return { begin, compute }
  })
}) {}

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
    const blocks = Query.none({
      Request: Schema.Struct({ generation: Schema.String }),
      execute: ({ generation }) => sql`
        INSERT INTO ranking_blocks (generation, impressions, clicks, key, records, queries)
        SELECT ${generation}::bigint, min(impressions), (array_agg(clicks) FILTER (WHERE ends_block))[1],
          (array_agg(key) FILTER (WHERE ends_block))[1], count(*), string_agg(ranking_searchable(coalesce(folded, query)), chr(10))
        FROM (
          SELECT *, (row_number() OVER list - 1) / ${length} AS block,
            row_number() OVER list % ${length} = 0 OR lead(key) OVER list IS NULL AS ends_block
          FROM rankings WHERE generation = ${generation}::bigint WINDOW list AS (ORDER BY -impressions, -clicks, key)
        ) AS list GROUP BY block ORDER BY block`
    })

    /** Runs once for each generation. */
    const make = Traced.fn("IndexesRepo.make")(function* (generation: string) {
      yield* blocks({ generation })
      yield* sql`SELECT order_rankings(${generation}::bigint)`
    }, Effect.orDie)

    /** Empties the search index's pending list, which searches would otherwise read until the next vacuum. */
    const settleSearch = Effect.orDie(sql`SELECT gin_clean_pending_list('ranking_blocks_search')`)

    /** Renews the planner's statistics. */
    const analyse = Effect.orDie(sql`ANALYZE ranking_blocks, ranking_orders`)

    return { analyse, make, settleSearch }
  })
}) {}
