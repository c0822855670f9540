import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { every } from "../../../foundation/database/Outages.ts"
import * as Query from "../../../foundation/database/Query.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Imports } from "../import/Imports.ts"
import { Site } from "../Site.ts"

/** Sites whose lists are not those of their brand terms. */
export class OutdatedRepo extends Effect.Service<OutdatedRepo>()("rankings/opportunities/OutdatedRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Sites whose brand terms have changed since their lists were made. A few at a time: the next pass finds the rest. */
    const outdated = Query.all({
      Request: Schema.Void,
      Result: Site,
      execute: () => sql`
        SELECT p.id, p.account_id AS account, p.host, p.url FROM ranking_generations g JOIN projects p ON p.id = g.site_id
        WHERE g.published IS NOT NULL AND g.superseded IS NULL AND p.account_id IS NOT NULL AND g.brand_folded IS DISTINCT FROM p.brand_folded
        ORDER BY g.id LIMIT 20`
    })

    const mark = Query.none({
      Request: Schema.Struct({ site: ProjectId }),
      execute: ({ site }) => sql`
        UPDATE ranking_sites s SET is_stale = true WHERE site_id = ${site} AND EXISTS (
          SELECT FROM ranking_generations g JOIN projects p ON p.id = g.site_id
          WHERE g.site_id = s.site_id AND g.published IS NOT NULL AND g.superseded IS NULL AND g.brand_folded IS DISTINCT FROM p.brand_folded)`
    })

    return { mark, outdated: () => outdated(undefined) }
  })
}) {}

/** Makes lists again where the words of a brand have changed. */
export class Renewals extends Effect.Service<Renewals>()("rankings/opportunities/Renewals", {
  dependencies: [Imports.Default, OutdatedRepo.Default],
  effect: Effect.gen(function* () {
    const imports = yield* Imports
    const repo = yield* OutdatedRepo

    /** One site after the other; each is a generation of its own, behind the imports of the site. */
    const run = Traced.fn("Renewals.run")(function* () {
      yield* Effect.forEach(
        yield* repo.outdated(),
        (site) => Effect.zipRight(repo.mark({ site: site.id }), imports.renew(site)),
        { discard: true }
      )
    })

    return { run }
  })
}) {}

const renewing = Effect.gen(function* () {
  const { run } = yield* Renewals
  yield* run().pipe(every("5 seconds", "Lists of opportunities could not be made anew"))
})

/** Keeps lists of opportunities in step with the brand terms of projects, for as long as it lives. */
export const layer = Layer.scopedDiscard(renewing).pipe(Layer.provide(Renewals.Default))
