import * as Effect from "effect/Effect"
import * as Traced from "../../foundation/schema/Traced.ts"
import type { AccountId } from "../accounts/Domain.ts"
import type { Batch } from "../accounts/Handlers.ts"
import { type Included, ProjectHealth, ProjectRankings } from "./Included.ts"
import { Projects } from "./Projects.ts"

const noHealth = {
  run_id: null,
  finished_at: null,
  score: null,
  delta: null,
  findings: null,
  running_run_id: null,
  next_at: null,
  scores: []
}

/** The projects of an account with what other rooms know of them. */
export class Listing extends Effect.Service<Listing>()("projects/Listing", {
  dependencies: [Projects.Default],
  effect: Effect.gen(function* () {
    const projects = yield* Projects
    const healthOf = yield* ProjectHealth
    const rankingsOf = yield* ProjectRankings

    /** A page of projects; what is included is read at once for all of them. */
    const list = Traced.fn("Listing.list")(function* (
      account: AccountId,
      included: ReadonlyArray<Included>,
      batch: Batch
    ) {
      const page = yield* projects.list(account, batch)
      const ids = page.map(({ id }) => id)
      const health = included.includes("health") ? yield* healthOf(account, ids) : undefined
      const rankings = included.includes("rankings") ? yield* rankingsOf(account, ids) : undefined
      return page.map((project) => ({
        ...project,
        ...(health === undefined ? {} : { health: health.get(project.id) ?? noHealth }),
        ...(rankings === undefined ? {} : { rankings: rankings.get(project.id) ?? null })
      }))
    })

    return { list }
  })
}) {}
