import * as SqlClient from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Query from "../../foundation/database/Query.ts"
import * as Day from "../../foundation/schema/Day.ts"
import { AccountId } from "../accounts/Domain.ts"
import { OwnedId } from "../accounts/Owned.ts"
import { ProjectId } from "../projects/Domain.ts"
import { ProjectRankings, RankingDays } from "../projects/Included.ts"
import { dayOf, startOf } from "./Pacific.ts"

/** The days that have rankings. */
export class ProjectDaysRepo extends Effect.Service<ProjectDaysRepo>()("rankings/ProjectDaysRepo", {
  effect: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** The first and the last day with rows of queries, for projects with such rows. */
    of: Query.all({
      Request: Schema.Array(ProjectId),
      Result: Schema.Struct({ project: ProjectId, days: RankingDays }),
      execute: (projects) => sql`
      SELECT s.site_id AS project, json_build_object('first_day', edges.first, 'last_day', edges.last) AS days
      FROM ranking_sites s, LATERAL (
        SELECT min(day) AS first, max(day) AS last FROM ranking_days d WHERE d.site = s.number AND level = 'queries'
      ) AS edges
      WHERE s.site_id = ANY(${projects}::uuid[]) AND edges.first IS NOT NULL`
    })
  }))
}) {}

/** Adds the days of rankings to lists of projects. */
export const layer = Layer.effect(
  ProjectRankings,
  Effect.map(
    ProjectDaysRepo,
    ({ of }) =>
      (_, projects) =>
        Effect.map(of(projects), (rows) => new Map(rows.map(({ days, project }) => [project, days] as const)))
  )
).pipe(Layer.provide(ProjectDaysRepo.Default))

/**
 * Sets up the transaction for work on whole sites. Memory for sorts: more makes large imports no faster, and several sorts run concurrently. No nested loops: a
 * new site may have millions of rows that the statistics do not know yet, and a loop over two such sets would not end. No JIT: a plan that must loop anyway
 * then looks so expensive that PostgreSQL would compile each statement.
 */
export const bulkWork = (sql: SqlClient.SqlClient) =>
  Effect.orDie(sql`
    SELECT set_config('work_mem', '24MB', true), set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true),
      set_config('gin_pending_list_limit', '64MB', true)`)

/** Days until the numbers of a day are final. */
export const lag = 3

/** Today in Pacific time. */
export const today: Effect.Effect<Day.DayNumber> = Effect.map(DateTime.now, (now) => Day.of(dayOf(now)))

/** The day of a moment in Pacific time. */
export const dayAt = (moment: DateTime.DateTime): Day.DayNumber => Day.of(dayOf(moment))

/** The newest day with final numbers, `YYYY-MM-DD`: three days before today in Pacific time. */
export const newestFinalDay: Effect.Effect<string> = Effect.map(today, (day) => Day.format(day - lag))

/** The moment when the numbers of a day become final: the start of the third day after it, in Pacific time. */
export const finalFrom = (day: Day.DayNumber): DateTime.Utc => startOf(day + lag)

/** A site for imports. */
export const Site = Schema.Struct({ id: ProjectId, account: AccountId, host: Schema.String, url: Schema.String })
export type Site = typeof Site.Type

/** The state of a site's data; `number` identifies the site in facts. */
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

    /** The state of a project's data, if data were ever imported. */
    const known = Query.first({
      Request: OwnedId(ProjectId),
      Result: Schema.Struct({
        number: Schema.Int,
        newest_day: Schema.NullOr(Schema.String),
        revision: Schema.NumberFromString
      }),
      execute: (site) => sql`SELECT number, newest_day::text, revision::text FROM ranking_sites WHERE site_id = ${site}`
    })

    /** Looks before the insert, because an insert that meets a row would use up a number. */
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

    /** Locks the site's data for writing until the transaction ends, and returns their state. */
    const lock = (site: { readonly site: ProjectId }) => Effect.zipRight(enter(site), hold(site))

    /** Locks without waiting; returns no row while another transaction writes the site's data. */
    const tryHold = Query.first({
      Request: OfSite,
      Result: SiteState,
      execute: ({ site }) =>
        sql`SELECT number, newest_day::text, is_stale FROM ranking_sites WHERE site_id = ${site} FOR UPDATE SKIP LOCKED`
    })

    const tryLock = (site: { readonly site: ProjectId }) => Effect.zipRight(enter(site), tryHold(site))

    /** Prevents the deletion of the project until the transaction ends; returns no row for a deleted project. */
    const stay = Query.first({
      Request: OfSite,
      Result: OfSite,
      execute: ({ site }) =>
        sql`SELECT id AS site FROM projects WHERE id = ${site} AND account_id IS NOT NULL FOR SHARE`
    })

    /** Counts a change of facts. */
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
