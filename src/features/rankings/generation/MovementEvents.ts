import * as Effect from "effect/Effect"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { Events } from "../../events/Events.ts"
import { rankingClimbed, rankingDropped } from "../Events.ts"
import type { Site } from "../SitesRepo.ts"
import { type Movement, MovementsRepo } from "./MovementsRepo.ts"

/** Movements read at a time. */
const batch = 500

/** The rankings whose movements are published, and their period. */
interface Comparison {
  readonly site: Site
  /** What facts know the site by. */
  readonly number: number
  readonly isComplete: boolean
  readonly period: { readonly start: string; readonly end: string }
}

/** Publishes an event for each movement that begins, in the transaction that records it. */
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

    /** Answers how many movements begin. */
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
