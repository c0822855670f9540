import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../database/Query.ts"

/** A record whose movement is news. */
export const Movement = Schema.Struct({
  event: Schema.Literal("ranking.dropped", "ranking.climbed"),
  key: Schema.UUID,
  query: Schema.String,
  page_path: Schema.String,
  current_position: Schema.NullOr(Schema.Number),
  previous_position: Schema.Number,
  position_delta: Schema.Number,
  impressions: Schema.Number,
  clicks: Schema.Number
})
export type Movement = typeof Movement.Type

/** Impressions that a window needs before a change in it is news rather than noise. */
const floor = 10

/** The movements of the generation that the transaction has just computed. */
export class MovementsRepo extends Effect.Service<MovementsRepo>()("rankings/MovementsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * Dropped: more than 3 positions lost, or gone. Climbed: from beyond 10 to 4…10. Decided on exact fractions, like the status. Some at a time,
     * by key.
     */
    const after = Query.all({
      Request: Schema.Struct({ count: Schema.Int, generation: Schema.String, key: Schema.NullOr(Schema.UUID) }),
      Result: Movement,
      execute: ({ count, generation, key }) => sql`
        SELECT * FROM (
          SELECT s.key, CASE
            WHEN c_impressions = 0 THEN 'ranking.dropped'
            WHEN c_impressions < ${floor} THEN NULL
            WHEN c_top * p_impressions - p_top * c_impressions > 3 * p_impressions * c_impressions THEN 'ranking.dropped'
            WHEN p_top > 10 * p_impressions AND c_top BETWEEN 4 * c_impressions AND 10 * c_impressions THEN 'ranking.climbed'
          END AS event,
          r.query, r.page AS page_path, r.current_position, r.previous_position, r.position_delta,
          r.impressions::double precision AS impressions, r.clicks::double precision AS clicks
          FROM ranking_sums s JOIN rankings r ON r.generation = ${generation}::bigint AND r.key = s.key
          WHERE p_impressions >= ${floor} AND ${key === null ? sql`true` : sql`s.key > ${key}::uuid`}
        ) AS movement
        WHERE event IS NOT NULL ORDER BY key LIMIT ${count}`
    })

    return { after }
  })
}) {}
