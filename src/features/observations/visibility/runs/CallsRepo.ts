import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { held } from "../../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../../foundation/database/Query.ts"
import * as Slots from "../../../../foundation/database/Slots.ts"
import { AccountId } from "../../../accounts/Domain.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { CallId, Citation, Engine, Outcome, RunId } from "../Domain.ts"
import { Reason } from "./Run.ts"

const Held = LeaseQueue.Held(RunId)
const OfRun = Schema.Struct({ run: RunId })

/** A run in a worker's hands. */
const Claim = Schema.Struct({
  ...Held.fields,
  account: AccountId,
  host: Schema.String,
  names: Schema.Array(Schema.String),
  project: ProjectId,
  prompt_set: Schema.String
})
export type Claim = typeof Claim.Type

/** A question that was not asked yet. */
const Call = Schema.Struct({
  id: CallId,
  engine: Engine,
  locale: Schema.String,
  model: Schema.String,
  text: Schema.String
})
export type Call = typeof Call.Type

/** Why a question has no answer. */
export const CallError = Schema.Struct({ code: Schema.String, message: Schema.String })
const error = Schema.NullOr(Schema.parseJson(CallError))

/** How a question ended; `usd` null: what was reserved stays charged. */
const End = Schema.Struct({
  citations: Schema.parseJson(Schema.Array(Citation)),
  error,
  isExact: Schema.Boolean,
  isMentioned: Schema.Boolean,
  model: Schema.NullOr(Schema.String),
  outcome: Outcome,
  text: Schema.NullOr(Schema.String),
  usd: Schema.NullOr(Schema.Number)
})
export type End = typeof End.Type

const interruption = JSON.stringify({
  code: "interrupted",
  message: "The node that asked was stopped before the answer; it is not asked again, and stays charged"
})

/** The queue of runs, and the questions of one. */
export class CallsRepo extends Effect.Service<CallsRepo>()("visibility/runs/CallsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const queue = LeaseQueue.make(sql, {
      account: sql`account_id`,
      attemptsAtMost: Slots.attemptsAtMost,
      claim: Claim,
      columns: sql`account_id AS account, host, names, project_id AS project, prompt_set`,
      due: sql`status = 'queued'`,
      key: "id",
      name: "geo runs",
      oldest: "created_at",
      table: "geo_runs",
      whenClaimed: sql`status = 'running'`,
      whenHandedBack: sql`status = 'queued'`
    })

    const planned = Query.all({
      Request: OfRun,
      Result: Call,
      execute: ({ run }) => sql`
        SELECT id, engine, locale, model, prompt AS text FROM geo_calls WHERE run_id = ${run} AND status = 'planned' ORDER BY number`
    })

    /** What was under way when a worker ended is not asked again. */
    const interrupt = Query.none({
      Request: OfRun,
      execute: ({ run }) => sql`
        UPDATE geo_calls SET status = 'done', outcome = 'error', error = ${interruption}::json, cost_usd = reserved_usd, cost_exact = false,
          answered_at = clock_timestamp() WHERE run_id = ${run} AND status = 'sent'`
    })

    /** A question that was given up as interrupted keeps that, and its charge. */
    const settle = Query.none({
      Request: Schema.Struct({ call: CallId, ...End.fields }),
      execute: ({ call, citations, error, isExact, isMentioned, model, outcome, text, usd }) => sql`
        WITH call AS (
          SELECT id, reserved_usd, reserved_on, coalesce(${usd}::numeric, reserved_usd) AS cost FROM geo_calls
          WHERE id = ${call} AND status = 'sent' FOR UPDATE
        ), done AS (
          UPDATE geo_calls c SET status = 'done', outcome = ${outcome}, is_mentioned = ${isMentioned}, answer = ${text},
            citations = ${citations}::json, error = ${error}::json, model = coalesce(${model}, c.model), cost_usd = call.cost,
            cost_exact = ${isExact}, answered_at = clock_timestamp()
          FROM call WHERE c.id = call.id
        )
        UPDATE geo_budgets b SET charged_usd = greatest(b.charged_usd - call.reserved_usd + call.cost, 0) FROM call WHERE b.day = call.reserved_on`
    })

    const counts = Query.one({
      Request: OfRun,
      Result: Schema.Struct({ answered: Schema.Int, done: Schema.Int, planned: Schema.Int }),
      execute: ({ run }) => sql`
        SELECT count(*)::int AS planned, count(*) FILTER (WHERE status = 'done')::int AS done,
          count(*) FILTER (WHERE outcome <> 'error')::int AS answered
        FROM geo_calls WHERE run_id = ${run}`
    })

    const finish = Query.first({
      Request: Schema.Struct({ ...Held.fields, reason: Schema.NullOr(Reason), status: Schema.String }),
      Result: Schema.Struct({ at: Schema.DateTimeUtc }),
      execute: ({ id, lease, reason, status }) => sql`
        UPDATE geo_runs SET ${Slots.over(sql)}, status = ${status}, reason = ${reason}, finished_at = clock_timestamp()
        WHERE id = ${id} AND lease = ${lease} RETURNING iso(finished_at) AS at`
    })

    return {
      counts,
      finish: (of: Parameters<typeof finish>[0]) => held(finish(of)),
      interrupt,
      planned,
      queue,
      settle
    }
  })
}) {}
