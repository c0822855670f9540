import * as SqlClient from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Query from "../../../foundation/database/Query.ts"
import { Conflict, NotFound, Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { hashOf } from "../../../foundation/text/Compressed.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import type { Coverage, FileFormat } from "../Domain.ts"
import type { Options } from "../decode/Collector.ts"
import { type Generation, Generations } from "../generation/Generations.ts"
import * as Property from "../Property.ts"
import { addDropped, type Batch, type Dropped, noneDropped, type Table } from "../RawRow.ts"
import { bulkWork, type Site, type SiteState, SitesRepo } from "../Site.ts"
import { hours } from "./Hours.ts"
import * as Loads from "./Loads.ts"
import { DaysRepo, ImportsRepo, type Source, StatisticsRepo } from "./Log.ts"
import { Levels, StagingRepo, type Synced } from "./Merge.ts"

/** What a change of facts was: how many, and the newest day that it touched at any level. */
interface Change {
  readonly changed: number
  readonly lastDay: string | undefined
  readonly renews: boolean
  /** Whether the caller says that the data of the days are complete. */
  readonly isWhole: boolean
}

/** What follows from a change of facts. */
interface Renewed {
  readonly renewed: Generation | null
  /** Null without any data. */
  readonly coverage: Coverage | null
}

/** Brings rankings up to date with the facts. */
export class Renewal extends Effect.Service<Renewal>()("rankings/import/Renewal", {
  dependencies: [DaysRepo.Default, Generations.Default, SitesRepo.Default],
  effect: Effect.gen(function* () {
    const days = yield* DaysRepo
    const generations = yield* Generations
    const sites = yield* SitesRepo

    /** As the last act of the transaction that holds the site's lock and has changed its facts; `before` is the state that the lock answered. */
    const after = Traced.fn("Renewal.after")(function* (site: Site, before: SiteState, change: Change) {
      const { day: newestDay } = yield* days.newest(before.number)
      const { changed, isWhole, lastDay, renews } = change
      const reaches = newestDay !== null && lastDay !== undefined && generations.concerns(newestDay, lastDay)
      const stale = before.is_stale || newestDay !== before.newest_day || reaches
      const covered = newestDay === null ? null : yield* generations.covered(site.id, before.number, newestDay)
      const renewed =
        renews && stale && newestDay !== null && covered !== null
          ? yield* generations.renew(site, before.number, newestDay, covered, !isWhole)
          : null
      if (renews && stale && newestDay === null) yield* generations.withdraw({ account: site.account, site: site.id })
      // The next import looks again at losses that wait, even when it changes nothing.
      const waits = renewed?.waits ?? false
      yield* sites.mark({ changed: changed > 0, newestDay, site: site.id, stale: waits || (!renews && stale) })
      const coverage = renewed?.coverage ?? covered?.coverage ?? null
      return { coverage, renewed: renewed?.generation ?? null } satisfies Renewed
    })

    /** The work that follows the commit. */
    const settle = ({ renewed }: Renewed) => (renewed === null ? Effect.void : generations.settle(renewed))

    return { after, settle }
  })
}) {}

/** Takes days out again, such as a stray one that the windows would otherwise end at. */
export class DropDay extends Effect.Service<DropDay>()("rankings/import/DropDay", {
  dependencies: [ImportsRepo.Default, Projects.Default, Renewal.Default, SitesRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const imports = yield* ImportsRepo
    const projects = yield* Projects
    const renewal = yield* Renewal
    const sites = yield* SitesRepo

    const removed = (table: string, site: number, day: string) =>
      Query.affected(sql`DELETE FROM ${sql(table)} WHERE site = ${site} AND day = ${day}::date`)

    /** All that is known of a day goes, at every level; the rankings follow in the same transaction, behind the lock of the site's data. */
    const drop = <E>(site: Site, day: string, lock: Effect.Effect<SiteState, E>) =>
      Effect.gen(function* () {
        yield* bulkWork(sql)
        const before = yield* lock
        const queries = yield* removed("ranking_query_facts", before.number, day)
        const pages = yield* removed("ranking_page_facts", before.number, day)
        const totals = yield* removed("ranking_property_facts", before.number, day)
        const days = yield* removed("ranking_days", before.number, day)
        const rows = queries + pages + totals
        yield* imports.record({
          changed: rows,
          dropped: noneDropped,
          first_day: day,
          hash: null,
          incomplete_days: [],
          last_day: day,
          rows: 0,
          site: site.id,
          source: "drop-day"
        })
        const renewed = yield* renewal.after(site, before, {
          changed: rows,
          isWhole: false,
          lastDay: days + rows === 0 ? undefined : day,
          renews: true
        })
        return { day, isKnown: days + rows > 0, rows, ...renewed }
      })

    /** Takes a day out, after the imports of the site that are under way. */
    const run = Traced.fn("DropDay.run")(function* (site: Site, day: string) {
      const { isKnown: _, ...dropped } = yield* Query.transaction(sql)(drop(site, day, sites.lock({ site: site.id })))
      yield* renewal.settle(dropped)
      return dropped
    })

    /** Takes a day out at once: fails when an import of the site is under way, and when the project has no data of the day. */
    const atOnce = Traced.fn("DropDay.atOnce")(function* (account: AccountId, id: ProjectId, day: string) {
      const { host, url } = yield* projects.get(account, id)
      const lock = Effect.mapError(
        Effect.flatten(sites.tryLock({ site: id })),
        () =>
          new Conflict({ message: "An import of the project is in progress: send the request again when it has ended" })
      )
      const dropped = yield* Effect.filterOrFail(
        drop({ account, host, id, url }, day, lock),
        ({ isKnown }) => isKnown,
        () => NotFound.of("day with data")
      ).pipe(Query.transaction(sql))
      yield* renewal.settle(dropped)
    })

    return { atOnce, run }
  })
}) {}

/** What is imported, and from where. */
export interface ImportRequest {
  readonly site: Site
  readonly source: Source
  /** What a synchronisation fetched, which counts as synchronised even when it is empty. */
  readonly synced?: Synced
  /** Whether a bulk export may leave less than half of a day, and what other files lack is gone; default false. */
  readonly replaces?: boolean
  /** What the files are known by, if they are to be recognised when they come again. */
  readonly hash?: string
  /** Whether rankings are renewed now, or later by `renew`. */
  readonly renews: boolean
}

/** The outcome of an import; `changed` counts the facts that are new, different or gone. */
export interface Imported extends Renewed {
  readonly rows: number
  readonly dropped: Dropped
  readonly first_day: string | null
  readonly last_day: string | null
  readonly changed: number
  /** Days that were left out because the source says that their numbers are not final yet. */
  readonly incomplete_days: ReadonlyArray<string>
  /** Tables of archives that cannot be imported, each with what to do instead. */
  readonly passed_over: ReadonlyArray<string>
}

/** Loads made ahead of the database. */
const ahead = 4

/** Imports facts: each import is one transaction, so that it is there as a whole with everything that follows from it, or not at all. */
export class Imports extends Effect.Service<Imports>()("rankings/import/Imports", {
  dependencies: [
    ImportsRepo.Default,
    Levels.Default,
    Renewal.Default,
    SitesRepo.Default,
    StagingRepo.Default,
    StatisticsRepo.Default
  ],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const imports = yield* ImportsRepo
    const levels = yield* Levels
    const renewal = yield* Renewal
    const sites = yield* SitesRepo
    const staging = yield* StagingRepo
    const statistics = yield* StatisticsRepo

    const stage = <E, R>(site: Site, loads: Stream.Stream<Loads.Load, E, R>) =>
      Effect.gen(function* () {
        let dropped = noneDropped
        let extent = Loads.nothing
        const passedOver: Array<string> = []
        const tables: Array<Table> = []
        const known = hours()
        yield* staging.open(site.id)
        yield* loads.pipe(
          Stream.buffer({ capacity: ahead }),
          Stream.runForEach((load) => {
            dropped = addDropped(dropped, load.dropped)
            extent = Loads.joined(extent, load.extent)
            passedOver.push(...load.passedOver)
            tables.push(...load.tables)
            known.add(load.met, load.incomplete)
            return staging.add(load)
          })
        )
        const parts = tables.map((table, number) => ({ number, table }))
        const incomplete = parts.flatMap(({ number, table }) =>
          [...known.incompleteOf(table.file)].map((day) => ({ day, part: number }))
        )
        const isHourly = yield* known.areHourly()
        if (incomplete.length > 0) extent = yield* staging.leaveOut(incomplete)
        return { dropped, extent, incomplete_days: known.incomplete(), isHourly, parts, passedOver }
      })

    /** Imports all loads or, when one of them fails, none. `last` is the end of the transaction. */
    const load = Traced.fn("Imports.load")(function* <E, R, E2 = never>(
      { hash, renews, replaces = false, site, source, synced }: ImportRequest,
      loads: Stream.Stream<Loads.Load, E, R>,
      last: (imported: Imported) => Effect.Effect<void, E2> = () => Effect.void
    ) {
      const imported = yield* Effect.gen(function* () {
        yield* bulkWork(sql)
        const { dropped, extent, incomplete_days, isHourly, parts, passedOver } = yield* stage(site, loads)
        const before = yield* sites.lock({ site: site.id })
        const merged = yield* levels.merge({ isHourly, parts, replaces, site: before.number, source, synced })
        const changed = merged.reduce((sum, level) => sum + level.changed, 0)
        yield* imports.record({
          ...extent,
          changed,
          dropped,
          hash: hash ?? null,
          incomplete_days,
          site: site.id,
          source
        })
        const lastDay = merged
          .flatMap(({ changed, days }) => (changed === 0 ? [] : (days.at(-1) ?? [])))
          .sort()
          .at(-1)
        const renewed = yield* renewal.after(site, before, { changed, isWhole: replaces, lastDay, renews })
        const left = { dropped, incomplete_days, passed_over: passedOver }
        const imported = { ...extent, changed, ...left, ...renewed } satisfies Imported
        yield* Effect.mapError(Effect.flatten(sites.stay({ site: site.id })), () => NotFound.of("project"))
        yield* last(imported)
        return imported
      }).pipe(Query.transaction(sql))
      yield* renewal.settle(imported)
      yield* statistics.renew(imported.changed)
      return imported
    })

    /** Imports all batches or, when one of them fails, none. */
    const run = <E, R>(request: ImportRequest, batches: Stream.Stream<Batch, E, R>) =>
      load(request, Loads.ofBatches(batches))

    /** Renews the site's rankings if they are behind its facts. */
    const renew = Traced.fn("Imports.renew")(function* (site: Site) {
      const renewed = yield* Effect.gen(function* () {
        yield* bulkWork(sql)
        const before = yield* sites.lock({ site: site.id })
        return yield* renewal.after(site, before, {
          changed: 0,
          isWhole: false,
          lastDay: undefined,
          renews: true
        })
      }).pipe(Query.transaction(sql))
      yield* renewal.settle(renewed)
      return renewed.renewed
    })

    return { load, renew, run }
  })
}) {}

/** Options for reading files; null where not given. */
export interface Reading {
  readonly format: FileFormat
  readonly date: string | null
  /** Names with commas between them. */
  readonly dimensions: string | null
  readonly property: string | null
  /** Whether a bulk export may leave less than half of a stored day, and what other files lack is gone. */
  readonly replaces: boolean
}

/** The same files were imported before, and no fact has changed since. */
export interface Unchanged extends Loads.Extent {
  readonly changed: 0
  /** Null where the site has no list. */
  readonly coverage: Coverage | null
  readonly dropped: Dropped
  readonly incomplete_days: ReadonlyArray<string>
  readonly unchanged: true
}

/** The hash by which the same files, read in the same way, are recognised. */
export const nameOf = ({ date, dimensions, format, property, replaces }: Reading, digests: ReadonlyArray<Uint8Array>) =>
  hashOf([format, ...[date, dimensions, property].map((text) => text ?? ""), ...(replaces ? ["replace"] : [])], digests)

/** The newest day that a file may hold; later days are refused. */
const today = Effect.map(DateTime.now, DateTime.formatIsoDateUtc)

/** Imports files that an operator names or a caller sends. */
export class FileImports extends Effect.Service<FileImports>()("rankings/import/FileImports", {
  dependencies: [Imports.Default, ImportsRepo.Default],
  effect: Effect.gen(function* () {
    const imports = yield* Imports
    const log = yield* ImportsRepo

    const optionsOf = Effect.fnUntraced(function* (site: Site, { date, dimensions, property }: Reading) {
      const known = property === null ? undefined : Property.covering(property, site.host)
      // A property that does not cover the site is a mistake.
      if (known !== undefined && Either.isLeft(known)) return yield* new Refused({ message: known.left })
      return {
        host: site.host,
        origin: new URL(site.url).origin,
        notAfter: yield* today,
        ...(known === undefined ? {} : { property: known.right }),
        ...(date === null ? {} : { date }),
        ...(dimensions === null ? {} : { dimensions: dimensions.split(",").map((name) => name.trim().toLowerCase()) })
      } satisfies Options
    })

    /** Imports what `read` decodes, all or nothing; `last` is the end of the transaction. Nothing is read of files that are known. */
    const run = Traced.fn("FileImports.run")(function* <E, R, E2 = never>(
      site: Site,
      reading: Reading,
      hash: string,
      read: (options: Options) => Stream.Stream<Loads.Load, E, R>,
      last: (imported: Imported) => Effect.Effect<void, E2> = () => Effect.void
    ) {
      const options = yield* optionsOf(site, reading)
      const before = yield* log.same({ hash, site: site.id })
      if (Option.isSome(before)) return { ...before.value, changed: 0, unchanged: true } satisfies Unchanged
      const request = { hash, renews: true, replaces: reading.replaces, site, source: reading.format }
      return yield* imports.load(request, read(options), last)
    })

    return { run }
  })
}) {}
