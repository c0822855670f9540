import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../../foundation/database/Query.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { Site } from "../SitesRepo.ts"

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
