import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Namespace from "../../foundation/database/Namespace.ts"
import * as Query from "../../foundation/database/Query.ts"
import { AccountId } from "../accounts/Domain.ts"
import { ProjectId } from "../projects/Domain.ts"
import { EffectiveRequest, Run, RunId } from "./Domain.ts"
import { channel } from "./Limits.ts"
import { runColumns } from "./RunsRepo.ts"

/** How much the account has running and started, and how long until a quota that is used up frees a place, in seconds. */
const Usage = Schema.Struct({
  atOnceLimit: Schema.Int,
  inProgress: Schema.Int,
  inProgressWait: Schema.Int,
  hourlyLimit: Schema.Int,
  startedThisHour: Schema.Int,
  hourlyWait: Schema.Int
})
export type Usage = typeof Usage.Type

const NewRun = Schema.Struct({ account: AccountId, project: ProjectId, request: EffectiveRequest })

/** Null: all rules that fail. */
export const VerifyRules = Schema.NullOr(Schema.Array(Schema.String))
export type VerifyRules = typeof VerifyRules.Type

/** The statements of starting a run; the use case puts them into one transaction behind `lockAccount`. */
export class StartRepo extends Effect.Service<StartRepo>()("sitehealth/StartRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = yield* runColumns

    /** Serialises the starts of an account, and returns its plan's page limit. */
    const lockAccount = Query.one({
      Request: AccountId,
      Result: Schema.Struct({ pages: Schema.Int }),
      execute: (account) => sql`
        SELECT p.pages_per_run AS pages FROM accounts a JOIN plans p ON p.id = a.plan
        WHERE a.id = ${account} FOR NO KEY UPDATE OF a`
    })

    /** What a key was used for, with its run; it may also have been used to create something else. */
    const findKey = Query.first({
      Request: Schema.Struct({ account: AccountId, key: Schema.String }),
      Result: Schema.Struct({ request: Schema.String, isOfRun: Schema.Boolean, run: Schema.NullOr(Run) }),
      execute: ({ account, key }) => sql`
        SELECT k.request::text AS request, k.run_id IS NOT NULL AS "isOfRun",
          (SELECT row_to_json(run) FROM (SELECT ${columns} FROM site_health_runs WHERE id = k.run_id) AS run) AS run
        FROM idempotency_keys k WHERE k.account_id = ${account} AND k.key = ${key}`
    })

    /** None when a request of another kind took the key meanwhile. */
    const keep = Query.first({
      Request: Schema.Struct({ account: AccountId, key: Schema.String, request: Schema.String, run: RunId }),
      Result: Schema.Struct({ key: Schema.String }),
      execute: ({ account, key, request, run }) => sql`
        INSERT INTO idempotency_keys (account_id, key, request, run_id)
        VALUES (${account}, ${key}, ${request}::json, ${run}) ON CONFLICT DO NOTHING RETURNING key`
    })

    const inFlight = Query.first({
      Request: NewRun,
      Result: Run,
      execute: ({ account, project, request }) => sql`
        SELECT ${columns} FROM site_health_runs
        WHERE account_id = ${account} AND project_id = ${project} AND finished_at IS NULL AND verify IS NULL AND url = ${request.url}
          AND max_pages = ${request.max_pages} AND check_dead_links = ${request.check_dead_links}
          AND check_external_links = ${request.check_external_links}
        LIMIT 1`
    })

    const usage = Query.one({
      Request: Schema.Struct({ account: AccountId, runSeconds: Schema.Int }),
      Result: Usage,
      execute: ({ account, runSeconds }) => sql`
        WITH started AS (
          SELECT account_id, created_at FROM site_health_runs
          UNION ALL SELECT account_id, created_at FROM site_health_removed_runs
        ), recent AS (
          SELECT r.created_at + interval '1 hour' AS leaves, row_number() OVER (ORDER BY r.created_at DESC) AS age
          FROM started r
          WHERE account_id = ${account} AND r.created_at > clock_timestamp() - interval '1 hour'
            -- What was started before the clock was set back is not of this hour.
            AND r.created_at <= clock_timestamp()
        ), running AS (
          SELECT least(r.started_at, clock_timestamp()) + ${runSeconds} * interval '1 second' AS ends
          FROM site_health_runs r WHERE account_id = ${account} AND finished_at IS NULL
        )
        SELECT p.runs_at_once AS "atOnceLimit", p.runs_per_hour AS "hourlyLimit",
          (SELECT count(*)::int FROM running) AS "inProgress",
          (SELECT count(*)::int FROM recent) AS "startedThisHour",
          greatest(1, ceil(extract(epoch FROM (SELECT min(ends) FROM running) - clock_timestamp())))::int
            AS "inProgressWait",
          greatest(1, ceil(extract(epoch FROM
            (SELECT leaves FROM recent WHERE age = p.runs_per_hour) - clock_timestamp())))::int AS "hourlyWait"
        FROM accounts a JOIN plans p ON p.id = a.plan WHERE a.id = ${account}`
    })

    /** Holds a run with a result until the transaction ends, so that its age does not remove it; none when it is gone. */
    const hold = Query.first({
      Request: RunId,
      Result: Schema.Struct({ id: RunId }),
      execute: (id) => sql`SELECT id FROM site_health_runs WHERE id = ${id} AND result IS NOT NULL FOR KEY SHARE`
    })

    const insert = Query.one({
      Request: Schema.Struct({ ...NewRun.fields, rules: VerifyRules }),
      Result: Run,
      execute: ({ account, project, request, rules }) => sql`
        INSERT INTO site_health_runs ${sql.insert({
          account_id: account,
          project_id: project,
          ...request,
          verify_rules: rules === null ? null : JSON.stringify(rules)
        })}
        RETURNING ${columns}`
    })

    return {
      /** Wakes the workers when the transaction commits. */
      wakeWorkers: Effect.orDie(sql`SELECT ${Namespace.notify(sql, channel, sql`'queued'`)}`),
      lockAccount,
      findKey,
      keep,
      inFlight,
      usage,
      hold,
      insert
    }
  })
}) {}
