import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Stream from "effect/Stream"
import * as Query from "../../../foundation/database/Query.ts"
import { Conflict, NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { AccountId } from "../../accounts/Domain.ts"
import type { ProjectId } from "../../projects/Domain.ts"
import { Projects } from "../../projects/Projects.ts"
import type { Coverage, Days } from "../Domain.ts"
import { type Generation, Generations } from "../generation/Generations.ts"
import {
  addDropped,
  type Batch,
  type Dropped,
  type ExportDays,
  ImportFailed,
  noneDropped,
  type SnapshotTable,
  type Table
} from "../RawRow.ts"
import { bulkWork, type Site, type SiteState, SitesRepo } from "../Site.ts"
import { hours } from "./Hours.ts"
import * as Loads from "./Loads.ts"
import { DaysRepo, ImportsRepo, type Source, StatisticsRepo } from "./Log.ts"
import { Levels, StagingRepo, type Synced } from "./Merge.ts"
import { messageOf } from "./Message.ts"
import { rangeOf, SnapshotImports, type StoredSnapshot } from "./Snapshots.ts"

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
        () => new Conflict({ message: "An import of the site is in progress. Try again when it is finished" })
      )
      const dropped = yield* Effect.filterOrFail(
        drop({ account, host, id, url }, day, lock),
        ({ isKnown }) => isKnown,
        () => new NotFound({ message: "The site has no search data on this day" })
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
  /** The days of tables without dates whose export names none; default: unknown. */
  readonly range?: Days | null
  /** What a file is called in words; its own name by default. */
  readonly named?: (file: string) => string
  /** Whether rankings are renewed now, or later by `renew`. */
  readonly renews: boolean
}

/** The outcome of an import; `changed` counts the facts and rows of snapshots that are new, different or gone. */
export interface Imported extends Renewed {
  /** Rows that count, those of snapshots included. */
  readonly rows: number
  /** What each file was taken as, in words. */
  readonly message: string
  /** Tables without dates, as they are kept. */
  readonly snapshots: ReadonlyArray<Omit<StoredSnapshot, "changed">>
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
    SnapshotImports.Default,
    StagingRepo.Default,
    StatisticsRepo.Default
  ],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const imports = yield* ImportsRepo
    const levels = yield* Levels
    const renewal = yield* Renewal
    const sites = yield* SitesRepo
    const snapshots = yield* SnapshotImports
    const staging = yield* StagingRepo
    const statistics = yield* StatisticsRepo

    const stage = <E, R>(site: Site, loads: Stream.Stream<Loads.Load, E, R>) =>
      Effect.gen(function* () {
        let dropped = noneDropped
        const extents = new Map<number, Loads.Extent>()
        const exported: Array<ExportDays> = []
        const passedOver: Array<string> = []
        const tables: Array<Table | SnapshotTable> = []
        const addSnapshots = snapshots.staging()
        const known = hours()
        yield* staging.open(site.id)
        yield* loads.pipe(
          Stream.buffer({ capacity: ahead }),
          Stream.runForEach((load) => {
            dropped = addDropped(dropped, load.dropped)
            for (const { part, ...extent } of load.extents)
              extents.set(part, Loads.joined(extents.get(part) ?? Loads.nothing, extent))
            exported.push(...load.exported)
            passedOver.push(...load.passedOver)
            tables.push(...load.tables)
            known.add(load.met, load.incomplete)
            return Effect.zipRight(staging.add(load), addSnapshots(load.snapshots))
          })
        )
        const [only] = exported
        if (tables.length === 0 && only !== undefined && exported.every(({ by }) => by === "filters"))
          return yield* new ImportFailed({
            file: only.file,
            line: 0,
            reason: "no rows to import: this is the filter list of an export (Filters.csv). Import the whole ZIP"
          })
        const { parts, undated } = Loads.partsOf(tables)
        const isHourly = yield* known.areHourly()
        const incomplete = parts.flatMap(({ number, table }) =>
          [...known.incompleteOf(table.file)].map((day) => ({ day, part: number }))
        )
        if (incomplete.length > 0)
          for (const { part, ...extent } of yield* staging.leaveOut(incomplete)) extents.set(part, extent)
        return { dropped, exported, extents, incomplete_days: known.incomplete(), isHourly, parts, passedOver, undated }
      })

    /** Imports all loads or, when one of them fails, none. `last` is the end of the transaction. */
    const load = Traced.fn("Imports.load")(function* <E, R, E2 = never>(
      { hash, named = identity, range = null, renews, replaces = false, site, source, synced }: ImportRequest,
      loads: Stream.Stream<Loads.Load, E, R>,
      last: (imported: Imported) => Effect.Effect<void, E2> = () => Effect.void
    ) {
      const imported = yield* Effect.gen(function* () {
        yield* bulkWork(sql)
        const { dropped, exported, extents, incomplete_days, isHourly, parts, passedOver, undated } = yield* stage(
          site,
          loads
        )
        const extentOf = ({ number }: { readonly number: number }) => extents.get(number) ?? Loads.nothing
        const before = yield* sites.lock({ site: site.id })
        const merged = yield* levels.merge({ isHourly, parts, replaces, site: before.number, source, synced })
        const kept = yield* snapshots.store(
          site.id,
          undated.map((part) => ({ ...part, range: rangeOf(part.table.file, exported, range) }))
        )
        const facts = merged.reduce((sum, level) => sum + level.changed, 0)
        const changed = kept.reduce((sum, snapshot) => sum + snapshot.changed, facts)
        const extent = [...extents.values()].reduce(Loads.joined, Loads.nothing)
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
        const renewed = yield* renewal.after(site, before, { changed: facts, isWhole: replaces, lastDay, renews })
        const dated = parts.map((part) => ({ ...part.table, extent: extentOf(part) }))
        const message = messageOf({
          dated,
          dropped,
          exported,
          incomplete: incomplete_days,
          named,
          passedOver,
          snapshots: kept
        })
        const imported = {
          ...extent,
          changed,
          dropped,
          incomplete_days,
          message,
          passed_over: passedOver,
          snapshots: kept.map(({ changed: _, ...snapshot }) => snapshot),
          ...renewed
        } satisfies Imported
        yield* Effect.mapError(Effect.flatten(sites.stay({ site: site.id })), () => NotFound.of("site"))
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
