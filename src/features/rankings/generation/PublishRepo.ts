import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Coverage, StatusCounts } from "../Domain.ts"

const Publication = Schema.Struct({
  account: AccountId,
  coverage: Schema.parseJson(Coverage),
  generation: Schema.String,
  records: Schema.Number,
  site: ProjectId,
  statuses: Schema.parseJson(StatusCounts)
})

/** Makes generations visible, and removes those that no cursor can refer to any more. */
export class PublishRepo extends Effect.Service<PublishRepo>()("rankings/generation/PublishRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Holds the account's counter until the transaction ends: the last thing that it does. */
    const publish = Query.none({
      Request: Publication,
      execute: ({ account, coverage, generation, records, site, statuses }) => sql`
        WITH snapshot AS (
          INSERT INTO ranking_snapshots (account_id, number) VALUES (${account}, 1)
          ON CONFLICT (account_id) DO UPDATE SET number = ranking_snapshots.number + 1 RETURNING number
        ), former AS (
          UPDATE ranking_generations SET superseded = snapshot.number, superseded_at = clock_timestamp()
          FROM snapshot WHERE site_id = ${site} AND published IS NOT NULL AND superseded IS NULL RETURNING id
        )
        UPDATE ranking_generations g SET published = snapshot.number, records = ${records}, coverage = ${coverage}::json,
          statuses = ${statuses}::json
        FROM snapshot, (SELECT count(*) FROM former) AS done WHERE g.id = ${generation}::bigint`
    })

    /** A site without data has no list. Holds the account's counter as well. */
    const withdraw = Query.none({
      Request: Schema.Struct({ account: AccountId, site: ProjectId }),
      execute: ({ account, site }) => sql`
        WITH snapshot AS (
          UPDATE ranking_snapshots SET number = number + 1 WHERE account_id = ${account} RETURNING number
        )
        UPDATE ranking_generations SET superseded = snapshot.number, superseded_at = clock_timestamp()
        FROM snapshot WHERE site_id = ${site} AND published IS NOT NULL AND superseded IS NULL`
    })

    /**
     * Superseded generations stay for a day, so that lists that are being walked stay whole; of more than eight of a site only the newest stay
     * longer than an hour. A generation being purged elsewhere is skipped.
     */
    const purge = Query.first({
      Request: Schema.Void,
      Result: Schema.Struct({ purged: Schema.Number }),
      execute: () => sql`
        WITH aged AS (
          SELECT id, superseded_at, row_number() OVER (PARTITION BY site_id ORDER BY superseded DESC) AS place
          FROM ranking_generations WHERE superseded IS NOT NULL
        ), gone AS (
          DELETE FROM ranking_generations WHERE id IN (
            SELECT g.id FROM ranking_generations g JOIN aged USING (id)
            WHERE aged.superseded_at < clock_timestamp() - interval '1 day'
              OR (aged.place > 8 AND aged.superseded_at < clock_timestamp() - interval '1 hour')
            FOR UPDATE OF g SKIP LOCKED
          ) RETURNING id, account_id, superseded
        ), records AS (
          DELETE FROM rankings WHERE generation IN (SELECT id FROM gone)
        ), blocks AS (
          DELETE FROM ranking_blocks WHERE generation IN (SELECT id FROM gone)
        ), forgotten AS (
          UPDATE ranking_snapshots s SET oldest = greatest(s.oldest, gone.superseded)
          FROM (SELECT account_id, max(superseded) AS superseded FROM gone GROUP BY account_id) AS gone
          WHERE s.account_id = gone.account_id
        )
        SELECT count(*)::int AS purged FROM gone`
    })

    /** Cleans the pending list, which searches would otherwise read until the next vacuum. */
    const settleSearch = Effect.orDie(sql`SELECT gin_clean_pending_list('ranking_blocks_search')`)

    return { publish, purge: purge(undefined), settleSearch, withdraw }
  })
}) {}
