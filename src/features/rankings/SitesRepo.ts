import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import { AccountId } from "../accounts/Domain.ts"
import { OwnedId } from "../accounts/Owned.ts"
import { ProjectId } from "../projects/Domain.ts"

/** A site whose data are imported. */
export const Site = Schema.Struct({ id: ProjectId, account: AccountId, host: Schema.String, url: Schema.String })
export type Site = typeof Site.Type

/** What is known of a site's data as a whole; `number` is what facts know the site by. */
export const SiteState = Schema.Struct({
  number: Schema.Int,
  newest_day: Schema.NullOr(Schema.String),
  is_stale: Schema.Boolean
})
export type SiteState = typeof SiteState.Type

export class SitesRepo extends Effect.Service<SitesRepo>()("rankings/SitesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const OfSite = Schema.Struct({ site: ProjectId })

    const find = Query.first({
      Request: OfSite,
      Result: Site,
      execute: ({ site }) =>
        sql`SELECT id, account_id AS account, host, url FROM projects WHERE id = ${site} AND account_id IS NOT NULL`
    })

    /** The data of a project that has ever got some. */
    const known = Query.first({
      Request: OwnedId(ProjectId),
      Result: Schema.Struct({
        number: Schema.Int,
        newest_day: Schema.NullOr(Schema.String),
        revision: Schema.NumberFromString
      }),
      execute: (site) => sql`SELECT number, newest_day::text, revision::text FROM ranking_sites WHERE site_id = ${site}`
    })

    /** Looks before it inserts: an insert that meets a row would use up a number. */
    const enter = Query.none({
      Request: OfSite,
      execute: ({ site }) => sql`
        INSERT INTO ranking_sites (site_id) SELECT ${site}::uuid
        WHERE NOT EXISTS (SELECT FROM ranking_sites WHERE site_id = ${site}) ON CONFLICT DO NOTHING`
    })

    const hold = Query.one({
      Request: OfSite,
      Result: SiteState,
      execute: ({ site }) =>
        sql`SELECT number, newest_day::text, is_stale FROM ranking_sites WHERE site_id = ${site} FOR UPDATE`
    })

    /** Locks the site's data for writing until the transaction ends, and answers their state. */
    const lock = (site: { readonly site: ProjectId }) => Effect.zipRight(enter(site), hold(site))

    /** The same without waiting: no row comes back while another transaction writes the site's data. */
    const tryHold = Query.first({
      Request: OfSite,
      Result: SiteState,
      execute: ({ site }) =>
        sql`SELECT number, newest_day::text, is_stale FROM ranking_sites WHERE site_id = ${site} FOR UPDATE SKIP LOCKED`
    })

    const tryLock = (site: { readonly site: ProjectId }) => Effect.zipRight(enter(site), tryHold(site))

    /** Keeps the project from being deleted until the transaction ends; no row comes back when it is deleted already. */
    const stay = Query.first({
      Request: OfSite,
      Result: OfSite,
      execute: ({ site }) =>
        sql`SELECT id AS site FROM projects WHERE id = ${site} AND account_id IS NOT NULL FOR SHARE`
    })

    /** Each change of facts is counted. */
    const mark = Query.none({
      Request: Schema.Struct({
        changed: Schema.Boolean,
        newestDay: Schema.NullOr(Schema.String),
        site: ProjectId,
        stale: Schema.Boolean
      }),
      execute: ({ changed, newestDay, site, stale }) => sql`
        UPDATE ranking_sites SET newest_day = ${newestDay}::date, is_stale = ${stale}, revision = revision + ${changed ? 1 : 0}
        WHERE site_id = ${site}`
    })

    return { find, known, lock, mark, stay, tryLock }
  })
}) {}
