import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { Site } from "../SitesRepo.ts"

const OfMonth = Schema.Struct({ month: Schema.String })

/** Removes months from all sites; `month` is the first day of the first one that stays. */
export class RetentionRepo extends Effect.Service<RetentionRepo>()("rankings/retention/RetentionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const first = Query.one({
      Request: Schema.Int,
      Result: OfMonth,
      execute: (months) => sql`
        SELECT (date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') - make_interval(months => ${months}::integer))::date::text AS month`
    })

    const isDue = Query.one({
      Request: OfMonth,
      Result: Schema.Struct({ due: Schema.Boolean }),
      execute: ({ month }) => sql`SELECT EXISTS (SELECT FROM ranking_partitions_before(${month}::date)) AS due`
    })

    /** Days that are no longer known are no longer read. Walks through tables that had them end; lists that compare them are to be made anew. */
    const forgetDays = Query.none({
      Request: Schema.Struct({ month: Schema.String, windows: Schema.Int }),
      execute: ({ month, windows }) => sql`
        WITH gone AS (DELETE FROM ranking_days WHERE day < ${month}::date RETURNING site)
        UPDATE ranking_sites SET revision = revision + 1, is_stale = is_stale OR newest_day < ${month}::date + ${windows}::integer - 1
        WHERE number IN (SELECT site FROM gone)`
    })

    const forgetSums = Query.none({
      Request: OfMonth,
      execute: ({ month }) => sql`
        WITH pages AS (
          DELETE FROM ranking_page_months WHERE month < ${month}::date
        ), segments_of_pages AS (
          DELETE FROM ranking_page_segments WHERE month < ${month}::date
        ), segments_of_queries AS (
          DELETE FROM ranking_query_segments WHERE month < ${month}::date
        )
        DELETE FROM ranking_query_months WHERE month < ${month}::date`
    })

    /** Readers of facts wait while this waits for those before them: no longer than a second. */
    const dropFacts = Query.none({
      Request: OfMonth,
      execute: ({ month }) =>
        Effect.zipRight(
          sql`SELECT set_config('lock_timeout', '1s', true)`,
          sql`SELECT drop_ranking_partitions(${month}::date)`
        )
    })

    /** Sites whose lists compare days that are gone. */
    const outdated = Query.all({
      Request: Schema.Struct({ month: Schema.String, windows: Schema.Int }),
      Result: Site,
      execute: ({ month, windows }) => sql`
        SELECT p.id, p.account_id AS account, p.host, p.url FROM ranking_sites s JOIN projects p ON p.id = s.site_id
        WHERE p.account_id IS NOT NULL AND s.is_stale AND s.newest_day < ${month}::date + ${windows}::integer - 1 ORDER BY p.id`
    })

    return { dropFacts, first, forgetDays, forgetSums, isDue, outdated }
  })
}) {}
