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

/** A change of facts: their number, and the newest changed day at any level. */
interface Change {
  readonly changed: number
  readonly lastDay: string | undefined
  readonly renews: boolean
  /** Whether the caller declares the days complete. */
  readonly isWhole: boolean
}

/** The consequences of a change of facts. */
interface Renewed {
  readonly renewed: Generation | null
  /** Null without any data. */
  readonly coverage: Coverage | null
}

/** Updates rankings after changes of facts. */
export class Renewal extends Effect.Service<Renewal>()("rankings/import/Renewal", {
  dependencies: [DaysRepo.Default, Generations.Default, SitesRepo.Default],
  effect: Effect.gen(function* () {
    const days = yield* DaysRepo
    const generations = yield* Generations
    const sites = yield* SitesRepo

    /** Runs at the end of the transaction that has changed the site's facts under its lock; `before` is the state that the lock returned. */
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
      // The next import checks waiting losses again, even without a change.
      const waits = renewed?.waits ?? false
      yield* sites.mark({ changed: changed > 0, newestDay, site: site.id, stale: waits || (!renews && stale) })
      const coverage = renewed?.coverage ?? covered?.coverage ?? null
      return { coverage, renewed: renewed?.generation ?? null } satisfies Renewed
    })

    /** The work after the commit. */
    const settle = ({ renewed }: Renewed) => (renewed === null ? Effect.void : generations.settle(renewed))

    return { after, settle }
  })
}) {}

/** Removes days, such as an isolated one where the windows would otherwise end. */
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

    /** Removes all data of a day at every level, and updates the rankings in the same transaction, under the lock of the site's data. */
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

    /** Removes a day, after the site's running imports. */
    const run = Traced.fn("DropDay.run")(function* (site: Site, day: string) {
      const { isKnown: _, ...dropped } = yield* Query.transaction(sql)(drop(site, day, sites.lock({ site: site.id })))
      yield* renewal.settle(dropped)
      return dropped
    })

    /** Removes a day immediately; fails during an import of the site, and for a day without data. */
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

/** The data of an import, and their source. */
export interface ImportRequest {
  readonly site: Site
  readonly source: Source
  /** The data that a synchronisation fetched, which count as synchronised even when empty. */
  readonly synced?: Synced
  /** Whether a bulk export may leave less than half of a day, and whether other files remove the data that they lack; default false. */
  readonly replaces?: boolean
  /** The hash that recognises the files at a later import, if wanted. */
  readonly hash?: string
  /** The days of tables without dates, when the export names no days; default: unknown. */
  readonly range?: Days | null
  /** The name of a file in messages; its own name by default. */
  readonly named?: (file: string) => string
  /** Whether rankings are renewed now, or later by `renew`. */
  readonly renews: boolean
}

/** The outcome of an import; `changed` counts facts and snapshot rows that are new, different or gone. */
export interface Imported extends Renewed {
  /** Counted rows, including rows of snapshots. */
  readonly rows: number
  /** The interpretation of each file, in words. */
  readonly message: string
  /** Stored tables without dates. */
  readonly snapshots: ReadonlyArray<Omit<StoredSnapshot, "changed">>
  readonly dropped: Dropped
  readonly first_day: string | null
  readonly last_day: string | null
  readonly changed: number
  /** Days that were left out because the source marks them as not final. */
  readonly incomplete_days: ReadonlyArray<string>
  /** Skipped tables of archives, each with advice. */
  readonly passed_over: ReadonlyArray<string>
}

/** Loads that are made ahead of the database. */
const ahead = 4

/** Imports facts. Each import is one transaction with all its consequences. */
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

    /** Imports all loads or, when a load fails, none. `last` ends the transaction. */
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

    /** Imports all batches or, when a batch fails, none. */
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
