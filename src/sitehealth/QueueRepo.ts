import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AccountId } from "../accounts/Domain.ts"
import { Counters, CrawlResult } from "../crawl/Crawl.ts"
import * as Query from "../database/Query.ts"
import { ProjectId } from "../projects/Domain.ts"
import { EffectiveRequest, Phase, RunError, RunId } from "./Domain.ts"
import { leaseSeconds } from "./Limits.ts"

/** A run in a worker's hands; every write names the lease, so that a worker which lost it can change nothing. */
export const Claim = Schema.Struct({ id: RunId, account: AccountId, lease: Schema.UUID, request: EffectiveRequest })
export type Claim = typeof Claim.Type

const Held = Schema.Struct({ id: RunId, lease: Schema.UUID })

/** What is left of a run for those who hear of its end. */
export const Ended = Schema.Struct({ id: RunId, account: AccountId, project: ProjectId, url: Schema.String })
export type Ended = typeof Ended.Type

/** The queue that the runs are: claiming, leasing, handing back and ending them. */
export class QueueRepo extends Effect.Service<QueueRepo>()("sitehealth/QueueRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ended = sql.literal(`id, account_id AS account, project_id AS project, url`)

    const claim = Query.first({
      Request: Schema.Void,
      Result: Claim,
      execute: () => sql`
        UPDATE site_health_runs SET status = 'running', phase = 'preparing', started_at = clock_timestamp(),
          lease = gen_random_uuid(), leased_until = clock_timestamp() + ${leaseSeconds} * interval '1 second'
        WHERE id = (SELECT id FROM site_health_runs WHERE status = 'queued'
                    ORDER BY created_at FOR UPDATE SKIP LOCKED LIMIT 1)
        RETURNING id, account_id AS account, lease,
          json_build_object('url', url, 'max_pages', max_pages, 'check_dead_links', check_dead_links) AS request`
    })

    /** Nothing comes back when the lease is lost: the run was cancelled, or taken for dead. */
    const heartbeat = Query.first({
      Request: Schema.Struct({ ...Held.fields, counters: Schema.NullOr(Counters), phase: Phase }),
      Result: Schema.Struct({ id: RunId }),
      execute: ({ counters, id, lease, phase }) => sql`
        UPDATE site_health_runs SET phase = ${phase},
          counters = ${counters === null ? null : JSON.stringify(counters)}::json,
          leased_until = clock_timestamp() + ${leaseSeconds} * interval '1 second'
        WHERE id = ${id} AND lease = ${lease} RETURNING id`
    })

    const handBack = Query.none({
      Request: Held,
      execute: ({ id, lease }) => sql`
        UPDATE site_health_runs SET status = 'queued', phase = 'queued', started_at = NULL, counters = NULL,
          lease = NULL, leased_until = NULL
        WHERE id = ${id} AND lease = ${lease}`
    })

    const succeed = Query.first({
      Request: Schema.Struct({
        ...Held.fields,
        counters: Schema.NullOr(Counters),
        result: Schema.parseJson(CrawlResult)
      }),
      Result: Ended,
      execute: ({ counters, id, lease, result }) => sql`
        UPDATE site_health_runs SET status = CASE ${result}::json #>> '{summary,termination}' WHEN 'complete' THEN 'completed' ELSE 'partial' END,
          phase = 'finished', finished_at = clock_timestamp(), lease = NULL, leased_until = NULL,
          counters = ${JSON.stringify(counters)}::json, result = ${result}::json
        WHERE id = ${id} AND lease = ${lease} RETURNING ${ended}`
    })

    const fail = Query.first({
      Request: Schema.Struct({ ...Held.fields, error: RunError }),
      Result: Ended,
      execute: ({ error, id, lease }) => sql`
        UPDATE site_health_runs SET status = 'failed', phase = 'finished', finished_at = clock_timestamp(),
          lease = NULL, leased_until = NULL, error = ${JSON.stringify(error)}::json
        WHERE id = ${id} AND lease = ${lease} RETURNING ${ended}`
    })

    /** Ends the runs whose worker stopped renewing. */
    const expire = Query.all({
      Request: RunError,
      Result: Ended,
      execute: (error) => sql`
        UPDATE site_health_runs SET status = 'failed', phase = 'finished', finished_at = clock_timestamp(),
          lease = NULL, leased_until = NULL, error = ${JSON.stringify(error)}::json
        WHERE id IN (SELECT id FROM site_health_runs WHERE status = 'running' AND leased_until < clock_timestamp()
                     FOR UPDATE SKIP LOCKED)
        RETURNING ${ended}`
    })

    return { claim: claim(undefined), expire, fail, handBack, heartbeat, succeed, transaction: Query.transaction(sql) }
  })
}) {}
