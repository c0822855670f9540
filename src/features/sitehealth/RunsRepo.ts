import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { AccountId } from "../accounts/Domain.ts"
import { OwnedId } from "../accounts/Owned.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Run, RunId, RunStatus, RunWithResult } from "./Domain.ts"
import { runSeconds } from "./Limits.ts"

/** The request of a run, from the columns of its row. */
const request = `json_build_object('url', url, 'max_pages', max_pages, 'check_dead_links', check_dead_links,
  'check_external_links', check_external_links, 'verify', verify)`

export const runRequest = Effect.map(SqlClient.SqlClient, (sql) => sql.literal(request))

/** The columns of `site_health_runs` that make a `Run`. */
export const runColumns = Effect.map(SqlClient.SqlClient, (sql) =>
  sql.literal(`id, 'site_health' AS type, project_id, status, phase, iso(created_at) AS created_at,
    iso(started_at) AS started_at, iso(finished_at) AS finished_at, counters, error,
    CASE WHEN status = 'running' THEN iso(started_at + interval '${runSeconds} seconds') END AS deadline_at,
    CASE WHEN status = 'running' THEN last_url END AS last_url, score, findings,
    ${request} AS request, result IS NOT NULL AS result_available`)
)

const OfAccount = Schema.Struct({ account: AccountId, id: RunId })

/** Reading runs, cancelling and deleting them. */
export class RunsRepo extends Effect.Service<RunsRepo>()("sitehealth/RunsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = yield* runColumns

    const find = Query.first({
      Request: OfAccount,
      Result: Run,
      execute: ({ account, id }) => sql`
        SELECT ${columns} FROM site_health_runs WHERE id = ${id} AND account_id = ${account}`
    })

    const findWithResult = Query.first({
      Request: OfAccount,
      Result: RunWithResult,
      execute: ({ account, id }) => sql`
        SELECT ${columns}, result FROM site_health_runs WHERE id = ${id} AND account_id = ${account}`
    })

    const list = Query.newestFirst(sql, {
      Request: Schema.Struct({ project: OwnedId(ProjectId), status: Schema.UndefinedOr(RunStatus) }),
      Result: Run,
      table: "r",
      rows: ({ project, status }) => sql`
        SELECT ${columns} FROM site_health_runs r WHERE project_id = ${project}
          AND ${status === undefined ? sql`true` : sql`status = ${status}`}`
    })

    const latest = Query.first({
      Request: Schema.Struct({ project: OwnedId(ProjectId) }),
      Result: RunWithResult,
      execute: ({ project }) => sql`
        SELECT ${columns}, result FROM site_health_runs r
        WHERE project_id = ${project} AND result IS NOT NULL AND verify IS NULL
        ORDER BY r.created_at DESC, id DESC LIMIT 1`
    })

    /** None when the run is final. */
    const cancel = Query.first({
      Request: OfAccount,
      Result: Run,
      execute: ({ account, id }) => sql`
        UPDATE site_health_runs SET status = 'cancelled', phase = 'finished', finished_at = clock_timestamp(),
          lease = NULL, leased_until = NULL
        WHERE id = ${id} AND account_id = ${account} AND finished_at IS NULL RETURNING ${columns}`
    })

    /** Locks a run against changes, and against verifications that would refer to it, until the transaction ends. */
    const hold = Query.first({
      Request: OfAccount,
      Result: Run.pick("status", "finished_at"),
      execute: ({ account, id }) => sql`
        SELECT status, iso(finished_at) AS finished_at FROM site_health_runs WHERE id = ${id} AND account_id = ${account} FOR UPDATE`
    })

    const verifying = Query.first({
      Request: RunId,
      Result: Run.pick("id"),
      execute: (id) => sql`SELECT id FROM site_health_runs WHERE verify = ${id} AND finished_at IS NULL LIMIT 1`
    })

    const remove = Query.none({
      Request: RunId,
      execute: (id) => sql`DELETE FROM site_health_runs WHERE id = ${id}`
    })

    return {
      find,
      findWithResult,
      hold,
      list,
      latest,
      cancel,
      remove,
      transaction: Query.transaction(sql),
      verifying
    }
  })
}) {}
