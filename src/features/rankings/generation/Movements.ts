import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { Events } from "../../events/Events.ts"
import { rankingClimbed, rankingDropped } from "../Events.ts"
import type { Site } from "../Site.ts"

/** A record with a new movement, which an earlier generation did not have. */
const Movement = Schema.Struct({
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
type Movement = typeof Movement.Type

/** The fewest impressions of a window for news rather than noise. */
const floor = 10

/** The movements of the transaction's new generation. */
export class MovementsRepo extends Effect.Service<MovementsRepo>()("rankings/generation/MovementsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * Dropped: more than 3 positions lost, or gone. Climbed: from beyond 10 to 4…10. Both are compared as exact fractions, like the status. In an incomplete
     * window a missing query may still come, so its earlier movement stays.
     */
    const find = (site: number, isComplete: boolean) => sql`
      CREATE TEMPORARY TABLE ranking_found ON COMMIT DROP AS
      SELECT s.*, before.event AS before, CASE
        WHEN p_impressions < ${floor} THEN NULL
        WHEN c_impressions = 0 THEN ${isComplete ? sql`'ranking.dropped'` : sql`before.event`}
        WHEN c_impressions < ${floor} THEN NULL
        WHEN c_top * p_impressions - p_top * c_impressions > 3 * p_impressions * c_impressions THEN 'ranking.dropped'
        WHEN p_top > 10 * p_impressions AND c_top BETWEEN 4 * c_impressions AND 10 * c_impressions THEN 'ranking.climbed'
      END AS event
      FROM ranking_sums s LEFT JOIN ranking_conditions before ON before.site = ${site} AND before.key = s.key
      WHERE p_impressions >= ${floor} OR before.event IS NOT NULL`

    const begun = (site: number) => sql`
      CREATE TEMPORARY TABLE ranking_movements ON COMMIT DROP AS
      SELECT row_number() OVER (ORDER BY k.key) - 1 AS place, k.key, k.query, k.page, event, c_impressions, c_clicks, c_top, p_impressions, p_top
      FROM ranking_found f JOIN ranking_pairs k ON k.site = ${site} AND k.id = f.key WHERE event IS NOT NULL AND event IS DISTINCT FROM before`

    const ended = (site: number) => sql`
      DELETE FROM ranking_conditions c WHERE site = ${site}
        AND NOT EXISTS (SELECT FROM ranking_found f WHERE f.key = c.key AND f.event = c.event)`

    const remember = (site: number) => sql`
      INSERT INTO ranking_conditions (site, key, event)
      SELECT ${site}::integer, key, event FROM ranking_found WHERE event IS NOT NULL AND event IS DISTINCT FROM before`

    /** The number of queries in the previous window with enough impressions for news, and how many of them the current window lacks. */
    const missing = Query.one({
      Request: Schema.Void,
      Result: Schema.Struct({ missing: Schema.Int, shown: Schema.Int }),
      execute: () => sql`
        SELECT count(*) FILTER (WHERE c_impressions = 0)::int AS missing, count(*)::int AS shown FROM ranking_sums WHERE p_impressions >= ${floor}`
    })(undefined)

    /** Finds movements that begin, and keeps movements that continue. */
    const collect = (site: number, isComplete: boolean) =>
      Effect.orDie(Effect.all([find(site, isComplete), begun(site), ended(site), remember(site)], { discard: true }))

    const page = Query.all({
      Request: Schema.Struct({ count: Schema.Int, from: Schema.Int }),
      Result: Movement,
      execute: ({ count, from }) => sql`
        SELECT key, event, query, page AS page_path, ranking_ratio(c_top, c_impressions) AS current_position,
          ranking_ratio(p_top, p_impressions) AS previous_position,
          coalesce(ranking_ratio(p_top * c_impressions - c_top * p_impressions, p_impressions * c_impressions), 0) AS position_delta,
          c_impressions::double precision AS impressions, c_clicks::double precision AS clicks
        FROM ranking_movements WHERE place >= ${from} AND place < ${from + count} ORDER BY place`
    })

    return { collect, missing, page }
  })
}) {}

/** Movements read at a time. */
const batch = 500

/** The rankings with movements to publish, and their period. */
interface Comparison {
  readonly site: Site
  /** The site's number in facts. */
  readonly number: number
  readonly isComplete: boolean
  readonly period: { readonly start: string; readonly end: string }
}

/** Publishes an event for each new movement, in the transaction that records it. */
export class MovementEvents extends Effect.Service<MovementEvents>()("rankings/generation/MovementEvents", {
  dependencies: [Events.Default, MovementsRepo.Default],
  effect: Effect.gen(function* () {
    const { publishAll } = yield* Events
    const repo = yield* MovementsRepo

    const publish = ({ period, site }: Comparison, movements: ReadonlyArray<Movement>) => {
      const eventOf = <Position>({ event: _, key, ...movement }: Movement, current_position: Position) => ({
        data: { ...movement, current_position, period, site_id: site.id },
        occurrence: `ranking/${site.id}/${key}/${period.end}`
      })
      const dropped = movements.flatMap((movement) =>
        movement.event === "ranking.dropped" ? [eventOf(movement, movement.current_position)] : []
      )
      const climbed = movements.flatMap((movement) =>
        movement.event === "ranking.climbed" && movement.current_position !== null
          ? [eventOf(movement, movement.current_position)]
          : []
      )
      return Effect.zipRight(
        publishAll(site.account, rankingDropped, dropped),
        publishAll(site.account, rankingClimbed, climbed)
      )
    }

    /** Returns the number of new movements. */
    const publishBegun = Traced.fn("MovementEvents.publishBegun")(function* (comparison: Comparison) {
      yield* repo.collect(comparison.number, comparison.isComplete)
      let from = 0
      while (true) {
        const movements = yield* repo.page({ count: batch, from })
        yield* publish(comparison, movements)
        from += movements.length
        if (movements.length < batch) return from
      }
    })

    return { missing: repo.missing, publishBegun }
  })
}) {}
