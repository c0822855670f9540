import * as SqlClient from "@effect/sql/SqlClient"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { held } from "../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../foundation/database/LeaseQueue.ts"
import * as Query from "../../foundation/database/Query.ts"
import { bareHost } from "../../foundation/schema/Scalars.ts"
import { fold } from "../../foundation/text/Words.ts"
import { AccountId } from "../accounts/Domain.ts"
import { Events } from "../events/Events.ts"
import { ProjectId } from "../projects/Domain.ts"
import { CallId, Citation, Engine, Outcome, Reason, RunId } from "./Domain.ts"
import { geoScoreChanged } from "./Events.ts"
import { type Change, compared, mayCompare, signOf, verdict } from "./Statistics.ts"

/** What runs must have in common to be compared. */
const Key = {
  engine: Engine,
  model: Schema.String,
  project: ProjectId,
  promptSet: Schema.String,
  tool: Schema.String
}

const State = { pending: Schema.NullOr(Schema.Int), run: RunId }

/** The runs that later ones are compared with. */
export class BaselinesRepo extends Effect.Service<BaselinesRepo>()("visibility/BaselinesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const find = Query.first({
      Request: Schema.Struct(Key),
      Result: Schema.Struct(State),
      execute: ({ engine, model, project, promptSet, tool }) => sql`
        SELECT run_id AS run, pending FROM visibility_baselines
        WHERE project_id = ${project} AND engine = ${engine} AND model = ${model} AND tool = ${tool} AND prompt_set = ${promptSet}`
    })

    const put = Query.none({
      Request: Schema.Struct({ ...Key, ...State }),
      execute: ({ engine, model, pending, project, promptSet, run, tool }) => sql`
        INSERT INTO visibility_baselines (project_id, engine, model, tool, prompt_set, run_id, pending)
        VALUES (${project}, ${engine}, ${model}, ${tool}, ${promptSet}, ${run}, ${pending})
        ON CONFLICT (project_id, engine, model, tool, prompt_set) DO UPDATE SET run_id = excluded.run_id, pending = excluded.pending`
    })

    return { find, put }
  })
}) {}

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
const CallError = Schema.Struct({ code: Schema.String, message: Schema.String })
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
export class CallsRepo extends Effect.Service<CallsRepo>()("visibility/CallsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const queue = LeaseQueue.make(sql, {
      account: sql`account_id`,
      attemptsAtMost: LeaseQueue.attemptsAtMost,
      claim: Claim,
      columns: sql`account_id AS account, host, names, project_id AS project, prompt_set`,
      due: sql`status = 'queued'`,
      key: "id",
      name: "geo runs",
      oldest: "created_at",
      table: "visibility_runs",
      whenClaimed: sql`status = 'running'`,
      whenHandedBack: sql`status = 'queued'`
    })

    const planned = Query.all({
      Request: OfRun,
      Result: Call,
      execute: ({ run }) => sql`
        SELECT id, engine, locale, model, prompt AS text FROM visibility_calls WHERE run_id = ${run} AND status = 'planned' ORDER BY number`
    })

    /** What was under way when a worker ended is not asked again. */
    const interrupt = Query.none({
      Request: OfRun,
      execute: ({ run }) => sql`
        UPDATE visibility_calls SET status = 'done', outcome = 'error', error = ${interruption}::json, cost_usd = reserved_usd, cost_exact = false,
          answered_at = clock_timestamp() WHERE run_id = ${run} AND status = 'sent'`
    })

    /** A question that was given up as interrupted keeps that, and its charge. */
    const settle = Query.none({
      Request: Schema.Struct({ call: CallId, ...End.fields }),
      execute: ({ call, citations, error, isExact, isMentioned, model, outcome, text, usd }) => sql`
        WITH call AS (
          SELECT id, reserved_usd, reserved_on, coalesce(${usd}::numeric, reserved_usd) AS cost FROM visibility_calls
          WHERE id = ${call} AND status = 'sent' FOR UPDATE
        ), done AS (
          UPDATE visibility_calls c SET status = 'done', outcome = ${outcome}, is_mentioned = ${isMentioned}, answer = ${text},
            citations = ${citations}::json, error = ${error}::json, model = coalesce(${model}, c.model), cost_usd = call.cost,
            cost_exact = ${isExact}, answered_at = clock_timestamp()
          FROM call WHERE c.id = call.id
        )
        UPDATE visibility_budgets b SET charged_usd = greatest(b.charged_usd - call.reserved_usd + call.cost, 0) FROM call WHERE b.day = call.reserved_on`
    })

    const counts = Query.one({
      Request: OfRun,
      Result: Schema.Struct({ answered: Schema.Int, done: Schema.Int, planned: Schema.Int }),
      execute: ({ run }) => sql`
        SELECT count(*)::int AS planned, count(*) FILTER (WHERE status = 'done')::int AS done,
          count(*) FILTER (WHERE outcome <> 'error')::int AS answered
        FROM visibility_calls WHERE run_id = ${run}`
    })

    const finish = Query.first({
      Request: Schema.Struct({ ...Held.fields, reason: Schema.NullOr(Reason), status: Schema.String }),
      Result: Schema.Struct({ at: Schema.DateTimeUtc }),
      execute: ({ id, lease, reason, status }) => sql`
        UPDATE visibility_runs SET ${LeaseQueue.over(sql)}, status = ${status}, reason = ${reason}, finished_at = clock_timestamp()
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

const MeasuresOfRun = Schema.Struct({ run: RunId })

/** The answers of an engine to one prompt. `key` is of its text and locale: a prompt that was deleted and added again is the same. */
const OfPrompt = Schema.Struct({
  answers: Schema.Int,
  cited: Schema.Int,
  isNamed: Schema.Boolean,
  key: Schema.String,
  mentioned: Schema.Int
})

/** What a run measured of one engine. Answers are those for which it searched, and did not refuse. */
const Measure = Schema.Struct({
  answered: Schema.Int,
  engine: Engine,
  errors: Schema.Int,
  hasNames: Schema.Boolean,
  /** Models that answered, the one with the most answers first. */
  models: Schema.Array(Schema.String),
  notSearched: Schema.Int,
  planned: Schema.Int,
  promptSet: Schema.String,
  prompts: Schema.Array(OfPrompt),
  repeats: Schema.Int,
  tool: Schema.String
})
export type Measure = typeof Measure.Type

/** What runs measured. */
export class MeasuresRepo extends Effect.Service<MeasuresRepo>()("visibility/MeasuresRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const searched = sql`outcome IN ('cited', 'mentioned', 'absent')`

    const measures = Query.all({
      Request: MeasuresOfRun,
      Result: Measure,
      execute: ({ run }) => sql`
        WITH calls AS (
          SELECT engine, model, tool, outcome, is_mentioned, is_named, md5(locale || ' ' || prompt) AS key FROM visibility_calls WHERE run_id = ${run}
        ), of_prompt AS (
          SELECT engine, json_agg(json_build_object('key', key, 'isNamed', is_named, 'answers', answers, 'cited', cited, 'mentioned', mentioned)
            ORDER BY key) AS prompts
          FROM (
            SELECT engine, key, bool_or(is_named) AS is_named, count(*) FILTER (WHERE ${searched}) AS answers,
              count(*) FILTER (WHERE outcome = 'cited') AS cited, count(*) FILTER (WHERE ${searched} AND is_mentioned) AS mentioned
            FROM calls GROUP BY engine, key
          ) AS p GROUP BY engine
        ), of_model AS (
          SELECT engine, array_agg(model ORDER BY answers DESC, model) AS models
          FROM (SELECT engine, model, count(*) AS answers FROM calls WHERE outcome <> 'error' GROUP BY engine, model) AS m GROUP BY engine
        ), of_engine AS (
          SELECT engine, min(tool) AS tool, count(*)::int AS planned, count(*) FILTER (WHERE outcome <> 'error')::int AS answered,
            count(*) FILTER (WHERE outcome = 'error')::int AS errors, count(*) FILTER (WHERE outcome = 'not_searched')::int AS "notSearched"
          FROM calls GROUP BY engine
        )
        SELECT of_engine.*, of_prompt.prompts, coalesce(of_model.models, '{}') AS models, r.repeats, r.prompt_set AS "promptSet",
          cardinality(r.names) > 0 AS "hasNames"
        FROM of_engine JOIN of_prompt USING (engine) LEFT JOIN of_model USING (engine) CROSS JOIN visibility_runs r
        WHERE r.id = ${run} ORDER BY array_position(r.engines, engine)`
    })

    return { measures }
  })
}) {}

/** Shares in points, without the noise of binary fractions. */
const points = (share: number) => Math.round(share * 1e8) / 1e6

/** What a run that ends says of the one before: it becomes the baseline, or is compared with it. */
export class Changes extends Effect.Service<Changes>()("visibility/Changes", {
  dependencies: [BaselinesRepo.Default, Events.Default, MeasuresRepo.Default],
  effect: Effect.gen(function* () {
    const baselines = yield* BaselinesRepo
    const events = yield* Events
    const { measures } = yield* MeasuresRepo

    const publish = (
      { account, id, project }: Claim,
      { engine, models: [model = "unknown"] }: Measure,
      { after, before, delta, interval: [low, high], p }: Change,
      baseline: typeof geoScoreChanged.data.Type.baseline_run_id,
      at: DateTime.Utc
    ) =>
      events.publish(
        account,
        geoScoreChanged,
        {
          ...(baseline === undefined ? {} : { baseline_run_id: baseline }),
          basis: "run",
          current: points(after),
          delta: points(delta),
          engine,
          interval: [points(low), points(high)],
          measured_at: at,
          metric: "citation_rate",
          model,
          p_value: p,
          previous: points(before),
          project_id: project,
          run_id: id
        },
        { occurrence: `${id}/${engine}` }
      )

    /** A run that is not whole, or of several models, is passed over: it measured nothing that could be compared. */
    const judge = Effect.fnUntraced(function* (claim: Claim, measure: Measure, at: DateTime.Utc) {
      const [model] = measure.models
      if (model === undefined || !mayCompare(measure)) return
      const { engine, promptSet, tool } = measure
      const key = { engine, model, project: claim.project, promptSet, tool }
      const known = Option.getOrUndefined(yield* baselines.find(key))
      if (known === undefined) return yield* baselines.put({ ...key, pending: null, run: claim.id })
      const before = (yield* measures({ run: known.run })).find((other) => other.engine === engine)
      if (before === undefined) return
      const { change, reasons } = compared(before, measure)
      const { isPublished, pending } = verdict(known.pending, reasons.length > 0 ? 0 : signOf(change))
      if (isPublished && change !== null) yield* publish(claim, measure, change, known.run, at)
      yield* baselines.put({ ...key, pending, run: isPublished ? claim.id : known.run })
    })

    /** Judges each engine of a run that ended, in the transaction of its end. */
    const ended = (claim: Claim, at: DateTime.Utc) =>
      Effect.flatMap(measures({ run: claim.id }), (found) =>
        Effect.forEach(found, (measure) => judge(claim, measure, at), { discard: true })
      )

    return { ended }
  })
}) {}

const isLetter = (text: string) => /[\p{L}\p{M}\p{N}]/u.test(text)

/** The character that ends before, or begins at, a place; surrogates stay together. */
const before = (text: string, at: number) => Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? ""
const from = (text: string, at: number) => Array.from(text.slice(at, at + 2))[0] ?? ""

const stands = (text: string, name: string) => {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!isLetter(before(text, at)) && !isLetter(from(text, at + name.length))) return true
  return false
}

/** Whether a name of the brand stands in a text, at boundaries of letters and digits, folded. A name without a letter or digit names nothing. */
export const isNamed = (text: string, names: ReadonlyArray<string>): boolean => {
  const folded = fold(text)
  return names.some((name) => isLetter(name) && stands(folded, fold(name.trim())))
}

/** The host of an address as it is counted: lower case, without `www.`. */
const hostOf = (address: string): string | undefined => {
  const host = URL.parse(address)?.hostname
  return host === undefined || host === "" ? undefined : bareHost(host)
}

/** Whether an address is on the host or below it. */
export const isOf = (host: string, address: string): boolean => {
  const own = bareHost(host)
  const other = hostOf(address)
  return other !== undefined && (other === own || other.endsWith(`.${own}`))
}

interface Judged {
  readonly citations: ReadonlyArray<Citation>
  readonly isRefusal: boolean
  readonly searched: boolean
  readonly text: string
}

/** What an answer is for a site, and whether it names the brand, which a citing answer may do as well. */
export const judge = (
  { citations, isRefusal, searched, text }: Judged,
  { host, names }: { readonly host: string; readonly names: ReadonlyArray<string> }
): { readonly isMentioned: boolean; readonly outcome: Outcome } => {
  const isMentioned = isNamed(text, names)
  const outcome = () => {
    if (isRefusal) return "refused"
    if (!searched) return "not_searched"
    if (citations.some(({ url }) => isOf(host, url))) return "cited"
    return isMentioned ? "mentioned" : "absent"
  }
  return { isMentioned, outcome: outcome() }
}
