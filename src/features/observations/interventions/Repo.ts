import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Query from "../../../foundation/database/Query.ts"
import { Intervention, InterventionId, NewIntervention, Rollback } from "./Domain.ts"

export class InterventionsRepo extends Effect.Service<InterventionsRepo>()("interventions/InterventionsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`id, project_id AS project, url, connector, summary, iso(deployed_at) AS "deployedAt",
      iso(rolled_back_at) AS "rolledBackAt", reason`)

    const insert = Query.one({
      Request: NewIntervention,
      Result: Intervention,
      execute: ({ connector, deployedAt, project, summary, url }) => sql`
        INSERT INTO interventions (project_id, url, connector, summary, deployed_at)
        VALUES (${project}, ${url}, ${connector}, ${summary}, ${deployedAt}::timestamptz) RETURNING ${columns}`
    })

    const hold = Query.first({
      Request: InterventionId,
      Result: Intervention,
      execute: (id) => sql`SELECT ${columns} FROM interventions WHERE id = ${id} FOR UPDATE`
    })

    const rollBack = Query.one({
      Request: Rollback,
      Result: Intervention,
      execute: ({ id, reason, rolledBackAt }) => sql`
        UPDATE interventions SET rolled_back_at = ${rolledBackAt}::timestamptz, reason = ${reason}
        WHERE id = ${id} RETURNING ${columns}`
    })

    return { hold, insert, rollBack }
  })
}) {}
