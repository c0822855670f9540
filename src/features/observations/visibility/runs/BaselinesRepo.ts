import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../../foundation/database/Query.ts"
import { ProjectId } from "../../../projects/Domain.ts"
import { Engine, RunId } from "../Domain.ts"

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
export class BaselinesRepo extends Effect.Service<BaselinesRepo>()("visibility/runs/BaselinesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const find = Query.first({
      Request: Schema.Struct(Key),
      Result: Schema.Struct(State),
      execute: ({ engine, model, project, promptSet, tool }) => sql`
        SELECT run_id AS run, pending FROM geo_baselines
        WHERE project_id = ${project} AND engine = ${engine} AND model = ${model} AND tool = ${tool} AND prompt_set = ${promptSet}`
    })

    const put = Query.none({
      Request: Schema.Struct({ ...Key, ...State }),
      execute: ({ engine, model, pending, project, promptSet, run, tool }) => sql`
        INSERT INTO geo_baselines (project_id, engine, model, tool, prompt_set, run_id, pending)
        VALUES (${project}, ${engine}, ${model}, ${tool}, ${promptSet}, ${run}, ${pending})
        ON CONFLICT (project_id, engine, model, tool, prompt_set) DO UPDATE SET run_id = excluded.run_id, pending = excluded.pending`
    })

    return { find, put }
  })
}) {}
