import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { held } from "../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../foundation/database/Query.ts"
import * as Slots from "../../../foundation/database/Slots.ts"
import { ProjectId } from "../../projects/Domain.ts"

/** A source in a worker's hands; its id is the project's. */
const Claim = LeaseQueue.Held(ProjectId)
type Claim = typeof Claim.Type

const OfSite = Schema.Struct({ site: ProjectId })

/** The sources as a queue: what is due, and when it is due again. */
export class DueRepo extends Effect.Service<DueRepo>()("rankings/sync/DueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const over = Slots.over(sql)

    const queue = LeaseQueue.make(sql, {
      account: sql`(SELECT account_id FROM projects WHERE projects.id = site_id)`,
      attemptsAtMost: Slots.attemptsAtMost,
      claim: Claim,
      columns: sql`site_id AS site`,
      due: sql`next_sync_at <= (SELECT clock_timestamp())`,
      key: "site_id",
      name: "synchronisations",
      oldest: "next_sync_at",
      table: "ranking_sources"
    })

    const succeed = Query.first({
      Request: Claim,
      Result: OfSite,
      execute: ({ id, lease }) => sql`
        UPDATE ranking_sources SET ${over}, failures = 0, last_error = NULL,
          synced_at = clock_timestamp(), next_sync_at = clock_timestamp() + every_hours * interval '1 hour'
        WHERE site_id = ${id} AND lease = ${lease} RETURNING site_id AS site`
    })

    /** The next attempt is due after 15 minutes, twice as long after each further failure, and never later than the schedule has it. */
    const fail = Query.first({
      Request: Schema.Struct({ error: Schema.String, ...Claim.fields }),
      Result: OfSite,
      execute: ({ error, id, lease }) => sql`
        UPDATE ranking_sources SET ${over}, failures = failures + 1, last_error = ${error},
          next_sync_at = CASE WHEN every_hours IS NOT NULL THEN
            clock_timestamp() + least(every_hours * interval '1 hour', interval '15 minutes' * 2 ^ least(failures, 10)) END
        WHERE site_id = ${id} AND lease = ${lease} RETURNING site_id AS site`
    })

    return {
      fail: (claim: Claim, error: string) => held(fail({ ...claim, error })),
      queue,
      succeed: (claim: Claim) => held(succeed(claim))
    }
  })
}) {}
