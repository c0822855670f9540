import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"

/** Tables that imports write. Partitions are analysed with their table, whose own statistics autovacuum never makes. */
const tables = [
  "ranking_query_facts",
  "ranking_page_facts",
  "ranking_property_facts",
  "ranking_pairs",
  "ranking_pages",
  "ranking_variants",
  "ranking_days",
  "ranking_query_months",
  "ranking_page_months",
  "ranking_segment_days",
  "ranking_query_segments",
  "ranking_page_segments"
]

/** Pages, of 8 KB, below which any plan does. */
const small = 10

/** The planner's statistics of facts and their sums. */
export class StatisticsRepo extends Effect.Service<StatisticsRepo>()("rankings/import/StatisticsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Tables that have at least doubled since their statistics were made, or have a partition that has: so statistics cost a share of what was imported. */
    const grown = Query.all({
      Request: Schema.Void,
      Result: Schema.Struct({ name: Schema.String }),
      execute: () => sql`
        SELECT DISTINCT t.oid::regclass::text AS name
        FROM unnest(${sql.literal(`ARRAY[${tables.map((table) => `'${table}'::regclass`).join(", ")}]`)}) AS t (oid)
        LEFT JOIN pg_inherits i ON i.inhparent = t.oid JOIN pg_class c ON c.oid = coalesce(i.inhrelid, t.oid)
        WHERE c.relkind = 'r' AND pg_relation_size(c.oid) > 2 * 8192 * greatest(c.relpages, ${small}::int)`
    })

    /**
     * Until autovacuum comes by, the planner takes a table that was filled just now for a small one, whether one import has filled it or hundreds, as
     * when a site's months are synchronised day by day. After the commit of an import: rows that are not
     * committed count for nothing. Tables that others have locked are left to the next import, and a failure is none of the import's.
     */
    const renew = Traced.fn("StatisticsRepo.renew")(function* (changed: number) {
      if (changed === 0) return
      const names = (yield* grown(undefined)).map(({ name }) => name)
      if (names.length === 0) return
      yield* sql`ANALYZE (SKIP_LOCKED) ${sql.literal(names.join(", "))}`.pipe(
        Effect.catchAll((error) => Effect.logWarning("Statistics of ranking tables could not be renewed", error))
      )
    })

    return { renew }
  })
}) {}
