import * as SqlClient from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { held, type LeaseLost } from "../../../foundation/database/Lease.ts"
import * as LeaseQueue from "../../../foundation/database/LeaseQueue.ts"
import * as Query from "../../../foundation/database/Query.ts"
import * as Day from "../../../foundation/schema/Day.ts"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { Cipher, Sealed } from "../../../foundation/secrets/Cipher.ts"
import { AccountId } from "../../accounts/Domain.ts"
import { OwnedId } from "../../accounts/Owned.ts"
import { ProjectId } from "../../projects/Domain.ts"
import { unknownSite } from "../../projects/Projects.ts"
import type { Generation } from "../generation/Generations.ts"
import { Imports } from "../import/Imports.ts"
import { DaysRepo, type MissingDay } from "../import/Log.ts"
import type { Batch } from "../RawRow.ts"
import { newestFinalDay, SitesRepo } from "../Site.ts"
import * as Credentials from "../searchconsole/Credentials.ts"
import { type Grouping, isCutOff, SearchAnalytics } from "../searchconsole/SearchAnalytics.ts"
import { AccessTokens } from "../searchconsole/Tokens.ts"
import { Connection, SyncError, Synchronisation, SyncId } from "./Api.ts"

/** The source of a synchronisation. */
const Source = Schema.Struct({ property: Schema.String, credentials: Sealed })

const OfSite = Schema.Struct({ site: ProjectId })

/** The sources of sites' data. */
export class SourcesRepo extends Effect.Service<SourcesRepo>()("rankings/sync/SourcesRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const connection = sql.literal(
      "site_id, property, every_hours, iso(next_at) AS next_sync_at, iso(synced_at) AS synced_at, last_error"
    )

    /** When a source with a changed schedule is due: immediately with a schedule, or with a requested synchronisation. */
    const dueWith = (everyHours: Fragment) => sql`CASE
      WHEN ${everyHours} IS NOT NULL OR EXISTS (SELECT FROM ranking_syncs o WHERE o.site_id = ranking_sources.site_id AND finished_at IS NULL)
      THEN clock_timestamp() END`

    /**
     * Without a given schedule a new source gets a daily one, and an existing source keeps its own. The lease ends, because the outcome of a synchronisation
     * with the earlier credentials says nothing about the new connection. New credentials are tested before they use the quota of URL inspections, and URLs
     * that wait because of refused credentials are due.
     */
    const connect = Query.one({
      Request: Schema.Struct({
        account: AccountId,
        everyHours: Schema.UndefinedOr(Schema.NullOr(Schema.Int)),
        site: ProjectId,
        ...Source.fields
      }),
      Result: Connection,
      execute: ({ account, credentials, everyHours, property, site }) => {
        const hours = sql`${everyHours === undefined ? 24 : everyHours}::integer`
        const kept = everyHours === undefined ? sql`ranking_sources.every_hours` : hours
        return sql`
          WITH waiting AS (
            UPDATE inspections SET due_at = clock_timestamp() WHERE project_id = ${site} AND status = 'queued' AND due_at > clock_timestamp()
          )
          INSERT INTO ranking_sources (site_id, account_id, property, credentials, every_hours, next_at)
          VALUES (${site}, ${account}, ${property}, ${credentials}, ${hours}, CASE WHEN ${hours} IS NOT NULL THEN clock_timestamp() END)
          ON CONFLICT (site_id) DO UPDATE SET property = excluded.property, credentials = excluded.credentials, failures = 0,
            last_error = NULL, inspection_accepted = false, inspection_refusals = 0, inspection_paused_until = NULL,
            inspection_trial_until = NULL, ${LeaseQueue.over(sql)}, every_hours = ${kept}, next_at = ${dueWith(kept)}
          RETURNING ${connection}`
      }
    })

    const schedule = Query.first({
      Request: Schema.Struct({ everyHours: Schema.NullOr(Schema.Int), site: ProjectId }),
      Result: Connection,
      execute: ({ everyHours, site }) => sql`
        UPDATE ranking_sources SET every_hours = ${everyHours}::integer, next_at = ${dueWith(sql`${everyHours}::integer`)}
        WHERE site_id = ${site} RETURNING ${connection}`
    })

    /** Deletes the credentials and the record of synchronisations; the data stay. */
    const disconnect = Query.first({
      Request: OwnedId(ProjectId),
      Result: Schema.Struct({ site: ProjectId }),
      execute: (project) => sql`DELETE FROM ranking_sources WHERE site_id = ${project} RETURNING site_id AS site`
    })

    const find = Query.first({
      Request: OfSite,
      Result: Source,
      execute: ({ site }) => sql`SELECT property, credentials FROM ranking_sources WHERE site_id = ${site}`
    })

    /** The connection of a project, without its credentials. */
    const connectionOf = Query.first({
      Request: OwnedId(ProjectId),
      Result: Connection,
      execute: (project) => sql`SELECT ${connection} FROM ranking_sources WHERE site_id = ${project}`
    })

    return { connect, connection: connectionOf, disconnect, find, schedule }
  })
}) {}

/** The cipher's purpose of stored credentials. */
export const purpose = "Search Console credentials of site"

/** The result of a synchronisation. */
interface Synced {
  readonly days: number
  readonly rows: number
  readonly changed: number
  readonly first_day: string | null
  readonly last_day: string | null
  /** Days with queries by country and device that the API cut off at its limit of rows. */
  readonly partial_days: ReadonlyArray<string>
  readonly renewed: Generation | null
}

/** Reports progress before the first day and after each: days done, days in all. Fails, which ends the work, when another worker has taken it over. */
type Watch = (done: number, all: number) => Effect.Effect<void, LeaseLost>

/** Synchronises sites with the Search Console API. */
export class Sync extends Effect.Service<Sync>()("rankings/sync/Sync", {
  dependencies: [DaysRepo.Default, Imports.Default, SitesRepo.Default, SourcesRepo.Default],
  effect: Effect.gen(function* () {
    const analytics = yield* SearchAnalytics
    const cipher = yield* Cipher
    const imports = yield* Imports
    const known = yield* DaysRepo
    const sites = yield* SitesRepo
    const sources = yield* SourcesRepo
    const tokens = yield* AccessTokens

    const refused = (message: string) => () => new Refused({ message })

    const tokensOf = Effect.fnUntraced(function* (site: ProjectId, json: Redacted.Redacted) {
      const credentials = Credentials.parse(Redacted.value(json))
      return Either.isRight(credentials)
        ? yield* tokens.source(credentials.right)
        : yield* new Refused({ message: `The Search Console credentials of site ${site} are ${credentials.left}` })
    })

    const missingDays = (site: ProjectId, days: number) =>
      Effect.flatMap(newestFinalDay, (last) => {
        const first = Day.format(Day.of(last) - days + 1)
        return known.missing({ first, last, site })
      })

    /**
     * Fetches the missing final days, the oldest first, at all levels, and renews the rankings once, at the end. Each day is a separate import, so days before
     * a failure stay.
     */
    const run = Traced.fn("Sync.run")(function* (id: ProjectId, days: number, watch: Watch) {
      const site = yield* Effect.flatten(sites.find({ site: id })).pipe(Effect.mapError(refused(unknownSite(id))))
      const source = yield* Effect.flatten(sources.find({ site: id })).pipe(
        Effect.mapError(
          refused(`Site ${id} is not connected to Search Console. Connect it with findable rankings connect`)
        )
      )
      const access = yield* Effect.flatMap(cipher.open(purpose, id, source.credentials), (json) => tokensOf(id, json))
      const missing = yield* missingDays(id, days)
      yield* watch(0, missing.length)

      /** Fetches a day before the transaction begins, so nobody holds the site's lock while waiting for Google. */
      const fetchDay = Effect.fnUntraced(function* ({ day, levels }: MissingDay) {
        const fetch = (grouping: Grouping) =>
          Stream.runCollect(
            analytics.day({ day, grouping, host: site.host, property: source.property, tokens: access })
          )
        const whole = yield* Effect.forEach(levels, fetch)
        const cutOff = levels.filter((_, index) => isCutOff(whole[index] ?? []))
        const segments = levels.includes("queries") ? yield* fetch("segments") : Chunk.empty<Batch>()
        const isPartial = isCutOff(segments)
        const imported = yield* imports.run(
          {
            renews: false,
            site,
            source: "sync",
            synced: { cutOff, day, levels, segments: isPartial ? "partial" : "complete" }
          },
          Stream.fromIterable(Chunk.appendAll(Chunk.flatten(Chunk.fromIterable(whole)), segments))
        )
        return { ...imported, partial: isPartial ? [day] : [] }
      })

      const fetched = Effect.forEach(missing, (day, index) =>
        Effect.zipLeft(fetchDay(day), watch(index + 1, missing.length))
      )
      const all = yield* fetched.pipe(Effect.tapError(() => imports.renew(site)))
      const renewed = yield* imports.renew(site)
      return {
        changed: all.reduce((sum, { changed }) => sum + changed, 0),
        days: missing.length,
        first_day: missing.at(0)?.day ?? null,
        last_day: missing.at(-1)?.day ?? null,
        partial_days: all.flatMap(({ partial }) => partial),
        renewed,
        rows: all.reduce((sum, { rows }) => sum + rows, 0)
      } satisfies Synced
    })

    return { run }
  })
}) {}

const Claim = LeaseQueue.Held(ProjectId)
type Claim = typeof Claim.Type

const Project = OwnedId(ProjectId)

const Progress = Schema.Struct({ done: Schema.Int, sync: SyncId, total: Schema.Int })

/** Days until an ended synchronisation is removed. */
const readable = 30

/** Requests and progress of synchronisations. A source has one current synchronisation at a time. */
export class SyncsRepo extends Effect.Service<SyncsRepo>()("rankings/sync/SyncsRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(
      "s.id, s.site_id AS project_id, s.status, s.days_done, s.days_total, s.error, iso(s.created_at) AS created_at, iso(s.finished_at) AS finished_at"
    )
    const open = sql`ON CONFLICT (site_id) WHERE finished_at IS NULL DO UPDATE SET`

    /** Locks the source of a project, so no synchronisation of it can end meanwhile. */
    const hold = Query.first({
      Request: Project,
      Result: Schema.Struct({ site: ProjectId }),
      execute: (project) =>
        sql`SELECT site_id AS site FROM ranking_sources WHERE site_id = ${project} FOR NO KEY UPDATE`
    })

    /** Joins the current synchronisation. One that has not begun takes the longer of both ranges. */
    const ask = Query.one({
      Request: Schema.Struct({ days: Schema.Int, project: Project }),
      Result: Synchronisation,
      execute: ({ days, project }) => sql`
        WITH due AS (
          UPDATE ranking_sources SET next_at = least(next_at, clock_timestamp()) WHERE site_id = ${project}
        )
        INSERT INTO ranking_syncs AS s (site_id, days) VALUES (${project}, ${days})
        ${open} days = CASE WHEN s.status = 'queued' THEN greatest(s.days, excluded.days) ELSE s.days END
        RETURNING ${columns}`
    })

    const find = Query.first({
      Request: Schema.Struct({ id: SyncId, project: Project }),
      Result: Synchronisation,
      execute: ({ id, project }) =>
        sql`SELECT ${columns} FROM ranking_syncs s WHERE id = ${id} AND site_id = ${project}`
    })

    /**
     * Begins the requested synchronisation, or continues another worker's; otherwise begins one of `days` days. `done`: days that the earlier worker fetched.
     */
    const begin = Query.first({
      Request: Schema.Struct({ ...Claim.fields, days: Schema.Int }),
      Result: Schema.Struct({ days: Schema.Int, done: Schema.Int, sync: SyncId }),
      execute: ({ days, id, lease }) => sql`
        INSERT INTO ranking_syncs AS s (site_id, status, days)
        SELECT site_id, 'running', ${days} FROM ranking_sources WHERE site_id = ${id} AND lease = ${lease}
        ${open} status = 'running' RETURNING s.id AS sync, s.days, s.days_done AS done`
    })

    const progress = Query.first({
      Request: Schema.Struct({ ...Claim.fields, ...Progress.fields }),
      Result: Schema.Struct({ sync: SyncId }),
      execute: ({ done, id, lease, sync, total }) => sql`
        UPDATE ranking_syncs SET days_done = ${done}, days_total = ${total} WHERE id = ${sync} AND finished_at IS NULL
          AND EXISTS (SELECT FROM ranking_sources WHERE site_id = ${id} AND lease = ${lease}) RETURNING id AS sync`
    })

    /** Returns the current synchronisation to the queue, from its first day. */
    const restart = Query.none({
      Request: Schema.Struct({ site: ProjectId }),
      execute: ({ site }) => sql`
        UPDATE ranking_syncs SET status = 'queued', days_done = 0, days_total = NULL WHERE site_id = ${site} AND finished_at IS NULL`
    })

    /** Ends the current synchronisation, and removes old ones. */
    const end = Query.none({
      Request: Schema.Struct({ error: Schema.NullOr(SyncError), site: ProjectId }),
      execute: ({ error, site }) => sql`
        WITH old AS (
          DELETE FROM ranking_syncs WHERE site_id = ${site} AND finished_at < clock_timestamp() - ${readable} * interval '1 day'
        )
        UPDATE ranking_syncs SET finished_at = clock_timestamp(), error = ${error === null ? null : JSON.stringify(error)}::json,
          status = CASE WHEN ${error === null} THEN 'completed' ELSE 'failed' END, days_total = coalesce(days_total, days_done)
        WHERE site_id = ${site} AND finished_at IS NULL`
    })

    return {
      ask,
      begin: (claim: Claim, days: number) => held(begin({ ...claim, days })),
      end,
      find,
      hold,
      progress: (claim: Claim, days: typeof Progress.Type) => Effect.asVoid(held(progress({ ...claim, ...days }))),
      restart,
      transaction: Query.transaction(sql)
    }
  })
}) {}
