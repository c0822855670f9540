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

/** Events made at a time: while the database writes one, the next are being written out. */
const atOnce = 8

/** A generation of which the movements are told. */
export interface Told {
  readonly generation: string
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

    const movements = (generation: string) =>
      Stream.paginateChunkEffect(Option.none<string>(), (last) =>
        Effect.map(repo.after({ count: batch, generation, key: Option.getOrNull(last) }), (found) => [
          Chunk.unsafeFromArray(found),
          found.length < batch ? Option.none() : Option.map(Option.fromNullable(found.at(-1)), ({ key }) => Option.some(key))
        ])
      )

    /** Answers how many movements were told, or had been before. */
    const tellAll = Effect.fn("MovementEvents.tellAll")((told: Told) =>
      movements(told.generation).pipe(
        Stream.mapEffect((movement) => tell(told, movement), { concurrency: atOnce }),
        Stream.runCount
      )
    )

    return { tellAll }
  })
}) {}
