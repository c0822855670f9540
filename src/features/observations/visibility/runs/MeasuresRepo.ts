import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../../foundation/database/Query.ts"
import { Engine, RunId } from "../Domain.ts"

const OfRun = Schema.Struct({ run: RunId })

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
export class MeasuresRepo extends Effect.Service<MeasuresRepo>()("visibility/runs/MeasuresRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const searched = sql`outcome IN ('cited', 'mentioned', 'absent')`

    const measures = Query.all({
      Request: OfRun,
      Result: Measure,
      execute: ({ run }) => sql`
        WITH calls AS (
          SELECT engine, model, tool, outcome, is_mentioned, is_named, md5(locale || ' ' || prompt) AS key FROM geo_calls WHERE run_id = ${run}
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
        FROM of_engine JOIN of_prompt USING (engine) LEFT JOIN of_model USING (engine) CROSS JOIN geo_runs r
        WHERE r.id = ${run} ORDER BY array_position(r.engines, engine)`
    })

    return { measures }
  })
}) {}
