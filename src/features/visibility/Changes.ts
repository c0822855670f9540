import * as SqlClient from "@effect/sql/SqlClient"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { bareHost } from "../../foundation/schema/Scalars.ts"
import { fold } from "../../foundation/text/Words.ts"
import type { AccountId } from "../accounts/Domain.ts"
import { Events } from "../events/Events.ts"
import { ProjectId } from "../projects/Domain.ts"
import { type Citation, Engine, type Outcome, RunId } from "./Domain.ts"
import { geoScoreChanged } from "./Events.ts"
import { type Change, compared, mayCompare, signOf, verdict } from "./Statistics.ts"

/** Comparable runs have equal keys. */
const Key = {
  engine: Engine,
  model: Schema.String,
  project: ProjectId,
  promptSet: Schema.String,
  tool: Schema.String
}

const State = { pending: Schema.NullOr(Schema.Int), run: RunId }

/** The baselines of later runs. */
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

/** The answers of an engine to one prompt. `key` hashes text and locale, so a prompt that was deleted and added again keeps it. */
const OfPrompt = Schema.Struct({
  answers: Schema.Int,
  cited: Schema.Int,
  isNamed: Schema.Boolean,
  key: Schema.String,
  mentioned: Schema.Int
})

/** Measurements of one engine in a run. An answer counts if the engine searched and did not refuse. */
const Measure = Schema.Struct({
  answered: Schema.Int,
  engine: Engine,
  errors: Schema.Int,
  hasNames: Schema.Boolean,
  /** Models that answered, most answers first. */
  models: Schema.Array(Schema.String),
  notSearched: Schema.Int,
  planned: Schema.Int,
  promptSet: Schema.String,
  prompts: Schema.Array(OfPrompt),
  repeats: Schema.Int,
  run: RunId,
  tool: Schema.String
})
export type Measure = typeof Measure.Type

/** Measurements of runs. */
export class MeasuresRepo extends Effect.Service<MeasuresRepo>()("visibility/MeasuresRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const searched = sql`outcome IN ('cited', 'mentioned', 'absent')`

    const measures = Query.all({
      Request: Schema.Struct({ runs: Schema.Array(RunId) }),
      Result: Measure,
      execute: ({ runs }) => sql`
        WITH calls AS (
          SELECT run_id AS run, engine, model, tool, outcome, is_mentioned, is_named, md5(locale || ' ' || prompt) AS key FROM visibility_calls
          WHERE run_id = ANY (${runs}::uuid[])
        ), of_prompt AS (
          SELECT run, engine, json_agg(json_build_object('key', key, 'isNamed', is_named, 'answers', answers, 'cited', cited, 'mentioned', mentioned)
            ORDER BY key) AS prompts
          FROM (
            SELECT run, engine, key, bool_or(is_named) AS is_named, count(*) FILTER (WHERE ${searched}) AS answers,
              count(*) FILTER (WHERE outcome = 'cited') AS cited, count(*) FILTER (WHERE ${searched} AND is_mentioned) AS mentioned
            FROM calls GROUP BY run, engine, key
          ) AS p GROUP BY run, engine
        ), of_model AS (
          SELECT run, engine, array_agg(model ORDER BY answers DESC, model) AS models
          FROM (SELECT run, engine, model, count(*) AS answers FROM calls WHERE outcome <> 'error' GROUP BY run, engine, model) AS m
          GROUP BY run, engine
        ), of_engine AS (
          SELECT run, engine, min(tool) AS tool, count(*)::int AS planned, count(*) FILTER (WHERE outcome <> 'error')::int AS answered,
            count(*) FILTER (WHERE outcome = 'error')::int AS errors, count(*) FILTER (WHERE outcome = 'not_searched')::int AS "notSearched"
          FROM calls GROUP BY run, engine
        )
        SELECT of_engine.*, of_prompt.prompts, coalesce(of_model.models, '{}') AS models, r.repeats, r.prompt_set AS "promptSet",
          cardinality(r.names) > 0 AS "hasNames"
        FROM of_engine JOIN of_prompt USING (run, engine) LEFT JOIN of_model USING (run, engine) JOIN visibility_runs r ON r.id = run
        ORDER BY array_position(${runs}::uuid[], run), array_position(r.engines, engine)`
    })

    return { measures }
  })
}) {}

/** A finished run. */
interface Ended {
  readonly account: AccountId
  readonly id: RunId
  readonly project: ProjectId
}

/** Shares in points, without the noise of binary fractions. */
const points = (share: number) => Math.round(share * 1e8) / 1e6

/** Compares a finished run with its baseline, or makes it the baseline. */
export class Changes extends Effect.Service<Changes>()("visibility/Changes", {
  dependencies: [BaselinesRepo.Default, Events.Default, MeasuresRepo.Default],
  effect: Effect.gen(function* () {
    const baselines = yield* BaselinesRepo
    const events = yield* Events
    const { measures } = yield* MeasuresRepo

    const publish = (
      { account, id, project }: Ended,
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

    /** Skips an incomplete run, or a run of several models, because it is not comparable. */
    const judge = Effect.fnUntraced(function* (run: Ended, measure: Measure, at: DateTime.Utc) {
      const [model] = measure.models
      if (model === undefined || !mayCompare(measure)) return
      const { engine, promptSet, tool } = measure
      const key = { engine, model, project: run.project, promptSet, tool }
      const known = Option.getOrUndefined(yield* baselines.find(key))
      if (known === undefined) return yield* baselines.put({ ...key, pending: null, run: run.id })
      const before = (yield* measures({ runs: [known.run] })).find((other) => other.engine === engine)
      if (before === undefined) return
      const { change, reasons } = compared(before, measure)
      const { isPublished, pending } = verdict(known.pending, reasons.length > 0 ? 0 : signOf(change))
      if (isPublished && change !== null) yield* publish(run, measure, change, known.run, at)
      yield* baselines.put({ ...key, pending, run: isPublished ? run.id : known.run })
    })

    /** Compares each engine of a finished run, in the transaction of its end. */
    const ended = (run: Ended, at: DateTime.Utc) =>
      Effect.flatMap(measures({ runs: [run.id] }), (found) =>
        Effect.forEach(found, (measure) => judge(run, measure, at), { discard: true })
      )

    return { ended }
  })
}) {}

const isLetter = (text: string) => /[\p{L}\p{M}\p{N}]/u.test(text)

/** The characters before and after an index; surrogates stay together. */
const before = (text: string, at: number) => Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? ""
const from = (text: string, at: number) => Array.from(text.slice(at, at + 2))[0] ?? ""

const stands = (text: string, name: string) => {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!isLetter(before(text, at)) && !isLetter(from(text, at + name.length))) return true
  return false
}

/** Whether a text names the brand, folded, at boundaries of letters and digits. A name without letters and digits never matches. */
export const isNamed = (text: string, names: ReadonlyArray<string>): boolean => {
  const folded = fold(text)
  return names.some((name) => isLetter(name) && stands(folded, fold(name.trim())))
}

/** The host of a URL for counting: lower case, without `www.`. */
const hostOf = (address: string): string | undefined => {
  const host = URL.parse(address)?.hostname
  return host === undefined || host === "" ? undefined : bareHost(host)
}

/** Whether a URL is on the host or a subdomain. */
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

/** The outcome of an answer for a site, and whether it names the brand, which a citing answer may do too. */
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
