import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../../foundation/database/Query.ts"
import { AccountId } from "../../../accounts/Domain.ts"
import { OwnedId } from "../../../accounts/Owned.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { PromptId, RunId } from "../Domain.ts"
import { GeoRun } from "./Run.ts"

const Project = OwnedId(ProjectId)
const texts = Schema.Array(Schema.String)

/** Runs as their owners see them, and making them. */
export class RunsRepo extends Effect.Service<RunsRepo>()("visibility/runs/RunsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Holds the project: prompts and runs of it change one at a time. */
    const lock = Query.none({
      Request: Project,
      execute: (project) => sql`SELECT FROM projects WHERE id = ${project} FOR NO KEY UPDATE`
    })

    const prompts = Query.all({
      Request: Project,
      Result: Schema.Struct({ id: PromptId, text: Schema.String }),
      execute: (project) => sql`SELECT id, text FROM geo_prompts WHERE project_id = ${project} ORDER BY created_at, id`
    })

    const inProgress = Query.first({
      Request: Project,
      Result: Schema.Struct({ id: RunId }),
      execute: (project) => sql`SELECT id FROM geo_runs WHERE project_id = ${project} AND finished_at IS NULL`
    })

    const insert = Query.one({
      Request: Schema.Struct({
        engines: texts,
        host: Schema.String,
        names: texts,
        project: Project,
        repeats: Schema.Int
      }),
      Result: Schema.Struct({ id: RunId }),
      execute: ({ engines, host, names, project, repeats }) => sql`
        INSERT INTO geo_runs (account_id, project_id, engines, repeats, names, host, prompt_set)
        SELECT account_id, id, ${engines}::text[], ${repeats}, ${names}::text[], ${host}, (
          SELECT md5(string_agg(md5(locale || ' ' || text), ',' ORDER BY md5(locale || ' ' || text)))
          FROM geo_prompts WHERE project_id = projects.id
        ) FROM projects WHERE id = ${project} RETURNING id`
    })

    /** Every question of a run; each prompt has been asked once before one is asked again. */
    const plan = Query.none({
      Request: Schema.Struct({
        engines: texts,
        models: texts,
        named: Schema.Array(PromptId),
        run: RunId,
        tools: texts
      }),
      execute: ({ engines, models, named, run, tools }) => sql`
        INSERT INTO geo_calls (run_id, project_id, number, prompt_id, prompt, locale, is_named, engine, model, tool, repeat, created_at)
        SELECT r.id, r.project_id, row_number() OVER (ORDER BY repeat, p.created_at, p.id, e.place), p.id, p.text, p.locale,
          p.id = ANY (${named}::uuid[]), e.engine, e.model, e.tool, repeat, r.created_at
        FROM geo_runs r JOIN geo_prompts p ON p.project_id = r.project_id
          CROSS JOIN unnest(${engines}::text[], ${models}::text[], ${tools}::text[]) WITH ORDINALITY AS e (engine, model, tool, place)
          CROSS JOIN generate_series(1, r.repeats) AS repeat
        WHERE r.id = ${run}`
    })

    const columns =
      sql.literal(`r.id, r.status, r.engines, r.repeats, c.planned, c.answered, c.errors, c.cost_usd, r.reason,
      iso(r.created_at) AS created_at, iso(r.finished_at) AS finished_at`)
    const runs = sql`geo_runs r CROSS JOIN LATERAL (
        SELECT count(*)::int AS planned, count(*) FILTER (WHERE outcome <> 'error')::int AS answered,
          count(*) FILTER (WHERE outcome = 'error')::int AS errors,
          coalesce(sum(coalesce(cost_usd, reserved_usd)), 0)::float8 AS cost_usd
        FROM geo_calls WHERE run_id = r.id
      ) c`

    const find = Query.first({
      Request: Schema.Struct({ account: AccountId, id: RunId }),
      Result: Schema.Struct({ ...GeoRun.fields, project: ProjectId }),
      execute: ({ account, id }) => sql`
        SELECT ${columns}, r.project_id AS project FROM ${runs} WHERE r.id = ${id} AND r.account_id = ${account}`
    })

    const list = Query.newestFirst(sql, {
      Request: Schema.Struct({ project: Project }),
      Result: GeoRun,
      table: "r",
      rows: ({ project }) => sql`SELECT ${columns} FROM ${runs} WHERE r.project_id = ${project}`
    })

    return { find, inProgress, insert, list, lock, plan, prompts, transaction: Query.transaction(sql) }
  })
}) {}
