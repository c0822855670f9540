import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Counters } from "../../crawl/report/CrawlEvent.ts"
import { held } from "../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../foundation/database/LeaseQueue.ts"
import * as Query from "../../foundation/database/Query.ts"
import { AccountId } from "../accounts/Domain.ts"
import { ProjectId } from "../projects/Domain.ts"
import { EffectiveRequest, Phase, RunError, RunId } from "./Domain.ts"
import { runRequest } from "./RunsRepo.ts"

const Held = LeaseQueue.Held(RunId)

/** A run under lease. */
export const Claim = Schema.Struct({ ...Held.fields, account: AccountId, request: EffectiveRequest })
export type Claim = typeof Claim.Type

/** The fields of a finished run that its event needs. */
export const Ended = Schema.Struct({ id: RunId, account: AccountId, project: ProjectId, url: Schema.String })
export type Ended = typeof Ended.Type

/** The runs as a queue: claims, progress and ends. */
export class QueueRepo extends Effect.Service<QueueRepo>()("sitehealth/QueueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const request = yield* runRequest
    const over = sql`phase = 'finished', finished_at = clock_timestamp(), last_url = NULL, lease = NULL, leased_until = NULL`
    const ended = sql`id, account_id AS account, project_id AS project, url`

    const queue = LeaseQueue.make(sql, {
      account: sql`account_id`,
      attemptsAtMost: 1,
      claim: Claim,
      columns: sql`account_id AS account, ${request} AS request`,
      due: sql`finished_at IS NULL`,
      key: "id",
      name: "site health runs",
      oldest: "created_at",
      table: "site_health_runs",
      whenClaimed: sql`status = 'running', phase = 'preparing', started_at = clock_timestamp()`,
      whenHandedBack: sql`status = 'queued', phase = 'queued', started_at = NULL, counters = NULL, last_url = NULL`
    })

    const show = Query.first({
      Request: Schema.Struct({
        ...Held.fields,
        counters: Schema.NullOr(Counters),
        last_url: Schema.NullOr(Schema.String),
        phase: Phase
      }),
      Result: Schema.Struct({ id: RunId }),
      execute: ({ counters, id, last_url, lease, phase }) => sql`
        UPDATE site_health_runs SET phase = ${phase}, last_url = ${last_url},
          counters = ${counters === null ? null : JSON.stringify(counters)}::json
        WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    /** `result` is the JSON of the result. */
    const succeed = Query.first({
      Request: Schema.Struct({ ...Held.fields, counters: Counters, result: Schema.Uint8ArrayFromSelf }),
      Result: Ended,
      execute: ({ counters, id, lease, result }) => sql`
        UPDATE site_health_runs SET status = CASE found.result #>> '{summary,termination}' WHEN 'complete' THEN 'completed' ELSE 'partial' END,
          ${over}, counters = ${JSON.stringify(counters)}::json, result = found.result
        FROM (SELECT ${result}::json AS result) AS found WHERE id = ${id} AND lease = ${lease} RETURNING ${ended}`
    })

    const fail = Query.first({
      Request: Schema.Struct({ ...Held.fields, error: RunError }),
      Result: Ended,
      execute: ({ error, id, lease }) => sql`
        UPDATE site_health_runs SET status = 'failed', ${over}, error = ${JSON.stringify(error)}::json
        WHERE id = ${id} AND lease = ${lease} RETURNING ${ended}`
    })

    return {
      fail: (end: Parameters<typeof fail>[0]) => held(fail(end)),
      queue,
      show: (progress: Parameters<typeof show>[0]) => held(show(progress)),
      succeed: (end: Parameters<typeof succeed>[0]) => held(succeed(end))
    }
  })
}) {}
