import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Events } from "../../webhooks/Events.ts"
import { rankingClimbed, rankingDropped } from "../../webhooks/events/Ranking.ts"
import type { Site } from "../SitesRepo.ts"
import { type Movement, MovementsRepo } from "./MovementsRepo.ts"

/** Movements read at a time. */
const batch = 500

/** Whose movements are told, and of which period. */
export interface Told {
  readonly site: Site
  readonly period: { readonly start: string; readonly end: string }
}

/** Tells the webhooks of movements, once for a site, query, page and end of window, in the transaction that records them. */
export class MovementEvents extends Effect.Service<MovementEvents>()("rankings/MovementEvents", {
  dependencies: [Events.Default, MovementsRepo.Default],
  effect: Effect.gen(function* () {
    const { publish } = yield* Events
    const repo = yield* MovementsRepo

    const tell = ({ period, site }: Told, { current_position, event, key, ...movement }: Movement) => {
      const options = { occurrence: `ranking/${site.id}/${key}/${period.end}` }
      const data = { ...movement, period, site_id: site.id }
      return event === "ranking.climbed" && current_position !== null
        ? publish(site.account, rankingClimbed, { ...data, current_position }, options)
        : publish(site.account, rankingDropped, { ...data, current_position }, options)
    }

    const movements = Stream.paginateChunkEffect(0, (from) =>
      Effect.map(repo.page({ count: batch, from }), (found) => [
        Chunk.unsafeFromArray(found),
        found.length < batch ? Option.none() : Option.some(from + batch)
      ])
    )

    /** Answers how many movements were told, or had been before. */
    const tellAll = Effect.fn("MovementEvents.tellAll")((told: Told) =>
      Effect.zipRight(
        repo.collect,
        movements.pipe(
          Stream.tap((movement) => tell(told, movement)),
          Stream.runCount
        )
      )
    )

    return { tellAll }
  })
}) {}
