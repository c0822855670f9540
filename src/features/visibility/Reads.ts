import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { OwnedId } from "../accounts/Owned.ts"
import { ProjectId } from "../projects/Domain.ts"
import { Projects } from "../projects/Projects.ts"
import { type Measure, MeasuresRepo } from "./Changes.ts"
import { CitedDomain, Engine, GeoAnswer, Outcome, type PastRun, RunId, type Visible } from "./Domain.ts"
import { Runs } from "./Runs.ts"
import { citedRate, compared, mentionedRate, powerOf } from "./Statistics.ts"

const Project = OwnedId(ProjectId)

/** Results of runs, for owners. */
export class ReadsRepo extends Effect.Service<ReadsRepo>()("visibility/ReadsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The latest finished run with answers, optionally of one engine. */
    const newest = Query.first({
      Request: Schema.Struct({ engine: Schema.UndefinedOr(Engine), project: Project }),
      Result: Schema.Struct({ id: RunId }),
      execute: ({ engine, project }) => sql`
        SELECT id FROM visibility_runs WHERE project_id = ${project} AND status IN ('completed', 'partial')
          AND ${engine === undefined ? sql`true` : sql`${engine} = ANY (engines)`}
        ORDER BY finished_at DESC, id DESC LIMIT 1`
    })

    /** Finished runs with answers, the latest first. */
    const finished = Query.newestFirst(sql, {
      Request: Schema.Struct({ engine: Schema.UndefinedOr(Engine), project: Project }),
      Result: Schema.Struct({ created_at: Schema.String, finished_at: Timestamp, id: RunId }),
      table: "r",
      rows: ({ engine, project }) => sql`
        SELECT r.id, iso(r.created_at) AS created_at, iso(r.finished_at) AS finished_at
        FROM visibility_runs r WHERE project_id = ${project} AND status IN ('completed', 'partial')
          AND ${engine === undefined ? sql`true` : sql`${engine} = ANY (engines)`}`
    })

    const answers = Query.newestFirst(sql, {
      Request: Schema.Struct({
        outcome: Schema.UndefinedOr(Outcome),
        project: Project,
        run: Schema.UndefinedOr(RunId)
      }),
      Result: Schema.Struct({ ...GeoAnswer.fields, created_at: Schema.String }),
      table: "c",
      rows: ({ outcome, project, run }) => sql`
        SELECT c.id, run_id, prompt_id, engine, model, repeat, outcome, outcome IN ('cited', 'mentioned', 'absent') AS searched,
          answer AS text, coalesce(citations, '[]') AS citations, cost_usd::float8 AS cost_usd, cost_exact, error, iso(c.created_at) AS created_at
        FROM visibility_calls c WHERE project_id = ${project} AND status = 'done'
          AND ${outcome === undefined ? sql`true` : sql`outcome = ${outcome}`}
          AND ${run === undefined ? sql`true` : sql`run_id = ${run}`}`
    })

    /** Normalized hosts: lower case, without port and `www.`. */
    const host = sql`regexp_replace(lower(substring(c ->> 'url' FROM '^[a-zA-Z]+://(?:[^/?#@]*@)?([^/?#:]+)')), '^www[.](?=[^.]+[.])', '')`

    const domains = Query.all({
      Request: Schema.Struct({ ...Query.Batch, engine: Schema.UndefinedOr(Engine), run: RunId }),
      Result: CitedDomain,
      execute: ({ after, count, engine, run }) => sql`
        WITH answers AS MATERIALIZED (
          SELECT id, outcome, citations FROM visibility_calls WHERE run_id = ${run} AND outcome IN ('cited', 'mentioned', 'absent')
            AND ${engine === undefined ? sql`true` : sql`engine = ${engine}`}
        ), cited AS (
          SELECT DISTINCT a.id, a.outcome, ${host} AS domain FROM answers a, json_array_elements(a.citations) AS c
        ), site AS (
          SELECT regexp_replace(lower(host), '^www[.](?=[^.]+[.])', '') AS host FROM visibility_runs WHERE id = ${run}
        ), counted AS (
          SELECT domain, count(*)::int AS answers, count(*) FILTER (WHERE outcome <> 'cited')::int AS instead
          FROM cited WHERE domain <> '' GROUP BY domain
        )
        SELECT domain, domain = site.host OR right(domain, length(site.host) + 1) = '.' || site.host AS own, answers, instead,
          answers::float8 / (SELECT count(*) FROM answers) AS rate
        FROM counted, site
        WHERE ${after === undefined ? sql`true` : sql`(-answers, domain) > (-(${after[0]}::int), ${after[1]})`}
        ORDER BY -answers, domain LIMIT ${count}`
    })

    return { answers, domains, finished, newest }
  })
}) {}

const shareOf = (part: number, whole: number) => (whole === 0 ? null : part / whole)

/** The comparison of one engine with another run; undefined if that run did not ask the engine. */
const comparisonOf = (measure: Measure, other: Measure | undefined): Visible["comparison"] => {
  if (other === undefined)
    return { comparable: false, delta: null, interval: null, p_value: null, reasons: ["other_engine"] }
  const { change, reasons } = compared(other, measure)
  return {
    comparable: reasons.length === 0,
    delta: change?.delta ?? null,
    interval: change?.interval ?? null,
    p_value: change?.p ?? null,
    reasons
  }
}

const visibleOf = (measure: Measure, comparison: Visible["comparison"]): Visible => {
  const answers = measure.prompts.reduce((sum, prompt) => sum + prompt.answers, 0)
  return {
    answers,
    cited: citedRate(measure),
    comparison,
    engine: measure.engine,
    errors: measure.errors,
    mentioned: mentionedRate(measure),
    model: measure.models[0] ?? null,
    prompts: measure.prompts.length,
    searched_rate: shareOf(answers, answers + measure.notSearched)
  }
}

/** Results of the runs of an account's sites. */
export class Reads extends Effect.Service<Reads>()("visibility/Reads", {
  dependencies: [MeasuresRepo.Default, Projects.Default, ReadsRepo.Default, Runs.Default],
  effect: Effect.gen(function* () {
    const { measures } = yield* MeasuresRepo
    const projects = yield* Projects
    const repo = yield* ReadsRepo
    const runs = yield* Runs

    const visibility = Traced.fn("Geo.visibility")(function* (
      account: AccountId,
      id: ProjectId,
      { compare, engine }: { readonly compare: RunId | undefined; readonly engine: Engine | undefined }
    ) {
      const project = yield* projects.own(account, id)
      const earlier =
        compare === undefined ? undefined : yield* measures({ runs: [(yield* runs.own(account, id, compare)).id] })
      const newest = yield* repo.newest({ engine, project })
      if (Option.isNone(newest)) return []
      const found = yield* measures({ runs: [newest.value.id] })
      return found
        .filter((measure) => engine === undefined || measure.engine === engine)
        .map((measure) =>
          visibleOf(
            measure,
            earlier === undefined
              ? null
              : comparisonOf(
                  measure,
                  earlier.find((other) => other.engine === measure.engine)
                )
          )
        )
    })

    const history = Traced.fn("Geo.history")(function* (
      account: AccountId,
      id: ProjectId,
      engine: Engine | undefined,
      batch: Batch
    ) {
      const project = yield* projects.own(account, id)
      const past = yield* repo.finished({ ...batch, engine, project })
      const found = yield* measures({ runs: past.map(({ id }) => id) })
      const ofRun = Map.groupBy(found, ({ run }) => run)
      return past.map(({ created_at, finished_at, id }) => ({
        created_at,
        id,
        record: {
          engines: (ofRun.get(id) ?? [])
            .filter((measure) => engine === undefined || measure.engine === engine)
            .map((measure) => visibleOf(measure, null)),
          finished_at,
          run_id: id
        } satisfies PastRun
      }))
    })

    const answers = Traced.fn("Geo.answers")(function* (
      account: AccountId,
      id: ProjectId,
      { outcome, run }: { readonly outcome: Outcome | undefined; readonly run: RunId | undefined },
      batch: Batch
    ) {
      const project = yield* projects.own(account, id)
      if (run !== undefined) yield* runs.own(account, id, run)
      return yield* repo.answers({ ...batch, outcome, project, run })
    })

    const domains = Traced.fn("Geo.domains")(function* (
      account: AccountId,
      id: ProjectId,
      { engine, run }: { readonly engine: Engine | undefined; readonly run: RunId | undefined },
      batch: Batch
    ) {
      const project = yield* projects.own(account, id)
      const named =
        run === undefined
          ? Option.map(yield* repo.newest({ engine, project }), ({ id }) => id)
          : Option.some((yield* runs.own(account, id, run)).id)
      return Option.isNone(named) ? [] : yield* repo.domains({ ...batch, engine, run: named.value })
    })

    const power = (account: AccountId, id: ProjectId, plan: Parameters<typeof powerOf>[0]) =>
      Effect.map(projects.own(account, id), () => powerOf(plan))

    return { answers, domains, history, power, visibility }
  })
}) {}
