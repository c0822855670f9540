import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { CurvePoint, Kind, OpportunityWindows } from "./Domain.ts"

const Reason = Schema.NullOr(Schema.Literal("missing_days", "history_too_short"))

/** What is stored of a generation's lists. */
export const Summary = Schema.Struct({
  not_assessed: Schema.Array(Schema.Struct({ decay: Reason, device: Schema.String, queries: Reason })),
  windows: OpportunityWindows
})

/** Stored lists of opportunities. */
export class ListsRepo extends Effect.Service<ListsRepo>()("rankings/opportunities/ListsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** A generation of a site: the one of a walk (undefined when it is gone), else the current one. `summary` is null while its lists are not made yet. */
    const generation = Query.first({
      Request: Schema.Struct({ generation: Schema.NullOr(Schema.String), site: OwnedId(ProjectId) }),
      Result: Schema.Struct({ id: Schema.String, summary: Schema.NullOr(Summary) }),
      execute: ({ generation, site }) => sql`
        SELECT id::text, opportunities AS summary FROM ranking_generations WHERE site_id = ${site} AND published IS NOT NULL
          AND ${generation === null ? sql`superseded IS NULL` : sql`id = ${generation}::bigint`}`
    })

    /** A page of a list, by its key. */
    const page = Query.all({
      Request: Schema.Struct({
        after: Schema.Int,
        brand: Schema.Literal("any", "true", "false"),
        count: Schema.Int,
        device: Schema.String,
        generation: Schema.String,
        kind: Kind
      }),
      Result: Schema.Struct({ place: Schema.Int, record: Schema.String }),
      execute: ({ after, brand, count, device, generation, kind }) => sql`
        SELECT place, record FROM ranking_opportunities
        WHERE generation = ${generation}::bigint AND kind = ${kind} AND device = ${device} AND brand = ${brand}
          AND place > ${after} AND place <= ${after + count} ORDER BY place`
    })

    const curve = Query.all({
      Request: Schema.Struct({ generation: Schema.String }),
      Result: CurvePoint,
      execute: ({ generation }) => sql`
        SELECT nullif(device, '') AS device, brand, position::integer AS position, rows::float8 AS rows, impressions::float8 AS impressions,
          clicks::float8 AS clicks, ctr, low, high
        FROM ranking_curves WHERE generation = ${generation}::bigint ORDER BY ranking_curves.device, brand, ranking_curves.position`
    })

    return { curve, generation, page }
  })
}) {}
