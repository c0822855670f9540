import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { Moment } from "../../../foundation/schema/Timestamp.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { VisibilityReading } from "./VisibilityReading.ts"

const OfEngine = Schema.Struct({ project: ProjectId, engine: Schema.String })

const Reading = Schema.typeSchema(VisibilityReading)

/** The newest snapshot's time, and of each metric the last value that was measured, the citation rate with its counts. */
const Known = Schema.Struct({
  takenAt: Moment,
  sentiment: Schema.NullOr(Schema.Number),
  citation_rate: Schema.NullOr(Schema.Number),
  answers: Schema.NullOr(Schema.Int),
  cited: Schema.NullOr(Schema.Int)
})

export type Known = typeof Known.Type

export class VisibilityRepo extends Effect.Service<VisibilityRepo>()("visibility/VisibilityRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const known = Query.first({
      Request: OfEngine,
      Result: Known,
      execute: ({ engine, project }) => sql`
        SELECT iso(max(taken_at)) AS "takenAt",
          (array_agg(sentiment ORDER BY taken_at DESC) FILTER (WHERE sentiment IS NOT NULL))[1] AS sentiment,
          (array_agg(citation_rate ORDER BY taken_at DESC) FILTER (WHERE citation_rate IS NOT NULL))[1] AS citation_rate,
          (array_agg(answers ORDER BY taken_at DESC) FILTER (WHERE citation_rate IS NOT NULL))[1] AS answers,
          (array_agg(cited ORDER BY taken_at DESC) FILTER (WHERE citation_rate IS NOT NULL))[1] AS cited
        FROM visibility_snapshots WHERE project_id = ${project} AND engine = ${engine} HAVING count(*) > 0`
    })

    const insert = Query.none({
      Request: Schema.Struct({ project: ProjectId, reading: Reading, takenAt: Moment }),
      execute: ({ project, reading: { answers, citation_rate, cited, engine, sentiment }, takenAt }) => sql`
        INSERT INTO visibility_snapshots (project_id, engine, taken_at, sentiment, citation_rate, answers, cited)
        VALUES (${project}, ${engine}, ${takenAt}::timestamptz, ${sentiment}, ${citation_rate}, ${answers}, ${cited})`
    })

    return { insert, known }
  })
}) {}
