import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../../foundation/database/Query.ts"
import { OwnedId } from "../../../accounts/Owned.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { Engine, Outcome, RunId } from "../Domain.ts"
import { CitedDomain, GeoAnswer } from "./Domain.ts"

const Project = OwnedId(ProjectId)

/** What runs brought, as owners read it. */
export class ReadsRepo extends Effect.Service<ReadsRepo>()("visibility/reads/ReadsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The newest run that ended with answers, of those that asked an engine where one is named. */
    const newest = Query.first({
      Request: Schema.Struct({ engine: Schema.UndefinedOr(Engine), project: Project }),
      Result: Schema.Struct({ id: RunId }),
      execute: ({ engine, project }) => sql`
        SELECT id FROM geo_runs WHERE project_id = ${project} AND status IN ('completed', 'partial')
          AND ${engine === undefined ? sql`true` : sql`${engine} = ANY (engines)`}
        ORDER BY finished_at DESC, id DESC LIMIT 1`
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
        FROM geo_calls c WHERE project_id = ${project} AND status = 'done'
          AND ${outcome === undefined ? sql`true` : sql`outcome = ${outcome}`}
          AND ${run === undefined ? sql`true` : sql`run_id = ${run}`}`
    })

    /** Hosts as they are compared: lower case, without port and `www.`. */
    const host = sql`regexp_replace(lower(substring(c ->> 'url' FROM '^[a-zA-Z]+://(?:[^/?#@]*@)?([^/?#:]+)')), '^www[.](?=[^.]+[.])', '')`

    const domains = Query.all({
      Request: Schema.Struct({ ...Query.Batch, engine: Schema.UndefinedOr(Engine), run: RunId }),
      Result: CitedDomain,
      execute: ({ after, count, engine, run }) => sql`
        WITH answers AS MATERIALIZED (
          SELECT id, outcome, citations FROM geo_calls WHERE run_id = ${run} AND outcome IN ('cited', 'mentioned', 'absent')
            AND ${engine === undefined ? sql`true` : sql`engine = ${engine}`}
        ), cited AS (
          SELECT DISTINCT a.id, a.outcome, ${host} AS domain FROM answers a, json_array_elements(a.citations) AS c
        ), site AS (
          SELECT regexp_replace(lower(host), '^www[.](?=[^.]+[.])', '') AS host FROM geo_runs WHERE id = ${run}
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

    return { answers, domains, newest }
  })
}) {}
