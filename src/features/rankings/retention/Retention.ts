import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { every } from "../../../foundation/database/Outages.ts"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { Imports } from "../import/Imports.ts"
import { RetentionMonths, WindowDays } from "../Settings.ts"
import { Site } from "../Site.ts"

const OfMonth = Schema.Struct({ month: Schema.String })

/** Removes months from all sites; `month` is the first day of the first month that stays. */
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

    /** Removes days from the known ones, which stops their reads. Cursors of tables with these days end, and lists that compare them must be recomputed. */
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

    /** Removes snapshots of removed days. The day of the import counts for a snapshot without named days. */
    const forgetSnapshots = Query.none({
      Request: OfMonth,
      execute: ({ month }) =>
        sql`DELETE FROM ranking_range_snapshots WHERE coalesce(last_day, (created_at AT TIME ZONE 'UTC')::date) < ${month}::date`
    })

    /** Drops partitions. While this waits for earlier readers of facts, later ones wait too, so it waits a second at most. */
    const dropFacts = Query.none({
      Request: OfMonth,
      execute: ({ month }) =>
        Effect.zipRight(
          sql`SELECT set_config('lock_timeout', '1s', true)`,
          sql`SELECT drop_ranking_partitions(${month}::date)`
        )
    })

    /** Sites with lists that compare removed days. */
    const outdated = Query.all({
      Request: Schema.Struct({ month: Schema.String, windows: Schema.Int }),
      Result: Site,
      execute: ({ month, windows }) => sql`
        SELECT p.id, p.account_id AS account, p.host, p.url FROM ranking_sites s JOIN projects p ON p.id = s.site_id
        WHERE p.account_id IS NOT NULL AND s.is_stale AND s.newest_day < ${month}::date + ${windows}::integer - 1 ORDER BY p.id`
    })

    return { dropFacts, first, forgetDays, forgetSnapshots, forgetSums, isDue, outdated }
  })
}) {}

/** Removes search data beyond its retention. */
export class Retention extends Effect.Service<Retention>()("rankings/retention/Retention", {
  dependencies: [Imports.Default, RetentionRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const imports = yield* Imports
    const repo = yield* RetentionRepo
    const windows = 2 * (yield* WindowDays)

    const remove = Traced.fn("Retention.remove")(function* (month: string) {
      yield* repo.forgetDays({ month, windows })
      yield* repo.forgetSums({ month })
      yield* Effect.zipRight(repo.dropFacts({ month }), repo.forgetDays({ month, windows })).pipe(
        Query.transaction(sql)
      )
    })

    /**
     * Keeps `months` whole months beside the current one. Partitions are dropped last: while some exist, an interrupted pass is repeated. Rows that an import
     * adds to these months between the steps are removed under the locks.
     */
    const run = Effect.fnUntraced(function* (months: number) {
      const { month } = yield* repo.first(months)
      const { due } = yield* repo.isDue({ month })
      if (due) yield* remove(month)
      yield* repo.forgetSnapshots({ month })
      yield* Effect.forEach(yield* repo.outdated({ month, windows }), imports.renew, { discard: true })
      return { month, removed: due }
    })

    return { run }
  })
}) {}

const removing = Effect.gen(function* () {
  const { run } = yield* Retention
  const months = Option.getOrUndefined(yield* RetentionMonths)
  if (months === undefined) return
  yield* run(months).pipe(
    Effect.tap(({ month, removed }) =>
      removed ? Effect.logInfo(`Removed search data from before ${month}`) : Effect.void
    ),
    every("10 minutes", "Old search data could not be removed")
  )
})

/** Removes months beyond FINDABLE_RANKING_RETENTION_MONTHS until the scope closes. */
export const layer = Layer.scopedDiscard(removing).pipe(Layer.provide(Retention.Default))
