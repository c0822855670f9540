import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AccountId } from "../accounts/Domain.ts"
import * as Query from "../database/Query.ts"
import { ProjectId } from "../projects/Domain.ts"

/** A site whose data are imported. */
export const Site = Schema.Struct({ id: ProjectId, account: AccountId, host: Schema.String, url: Schema.String })
export type Site = typeof Site.Type

/** What is known of a site's data as a whole. */
export const SiteState = Schema.Struct({ newest_day: Schema.NullOr(Schema.String), is_stale: Schema.Boolean })
export type SiteState = typeof SiteState.Type

export class SitesRepo extends Effect.Service<SitesRepo>()("rankings/SitesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const OfSite = Schema.Struct({ site: ProjectId })

    const find = Query.first({
      Request: OfSite,
      Result: Site,
      execute: ({ site }) => sql`SELECT id, account_id AS account, host, url FROM projects WHERE id = ${site}`
    })

    /** Lets this transaction alone write the site's data until it ends, and tells their state. */
    const lock = Query.one({
      Request: OfSite,
      Result: SiteState,
      execute: ({ site }) => sql`
        INSERT INTO ranking_sites (site_id) VALUES (${site})
        ON CONFLICT (site_id) DO UPDATE SET is_stale = ranking_sites.is_stale
        RETURNING newest_day::text, is_stale`
    })

    const mark = Query.none({
      Request: Schema.Struct({ site: ProjectId, newestDay: Schema.NullOr(Schema.String), stale: Schema.Boolean }),
      execute: ({ newestDay, site, stale }) => sql`
        UPDATE ranking_sites SET newest_day = greatest(newest_day, ${newestDay}::date), is_stale = ${stale}
        WHERE site_id = ${site}`
    })

    return { find, lock, mark }
  })
}) {}
