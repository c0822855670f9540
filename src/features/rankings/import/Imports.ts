import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Query from "../../../foundation/database/Query.ts"
import { NotFound } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { bulkWork } from "../BulkWork.ts"
import { addDropped, type Batch, type Dropped, noneDropped, type Table } from "../RawRow.ts"
import { type Site, SitesRepo } from "../SitesRepo.ts"
import * as Extent from "./Extent.ts"
import { ImportsRepo, type Source } from "./ImportsRepo.ts"
import { Levels, type Synced } from "./Levels.ts"
import * as Loads from "./Loads.ts"
import { Renewal, type Renewed } from "./Renewal.ts"
import { StagingRepo } from "./StagingRepo.ts"
import { StatisticsRepo } from "./StatisticsRepo.ts"

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
        let extent = Extent.nothing
        const passedOver: Array<string> = []
        const tables: Array<Table> = []
        yield* staging.open(site.id)
        yield* loads.pipe(
          Stream.buffer({ capacity: ahead }),
          Stream.runForEach((load) => {
            dropped = addDropped(dropped, load.dropped)
            extent = Extent.joined(extent, load.extent)
            passedOver.push(...load.passedOver)
            tables.push(...load.tables)
            return staging.add(load)
          })
        )
        return { dropped, parts: tables.map((table, number) => ({ number, table })), passedOver, extent }
      })

    /** Imports all loads or, when one of them fails, none. `last` is the end of the transaction. */
    const load = Traced.fn("Imports.load")(function* <E, R, E2 = never>(
      { hash, renews, replaces = false, site, source, synced }: ImportRequest,
      loads: Stream.Stream<Loads.Load, E, R>,
      last: (imported: Imported) => Effect.Effect<void, E2> = () => Effect.void
    ) {
      const imported = yield* Effect.gen(function* () {
        yield* bulkWork(sql)
        const { dropped, parts, passedOver, extent } = yield* stage(site, loads)
        const before = yield* sites.lock({ site: site.id })
        const merged = yield* levels.merge({ parts, replaces, site: before.number, source, synced })
        const changed = merged.reduce((sum, level) => sum + level.changed, 0)
        yield* imports.record({ ...extent, changed, dropped, hash: hash ?? null, site: site.id, source })
        const lastDay = merged
          .flatMap(({ changed, days }) => (changed === 0 ? [] : (days.at(-1) ?? [])))
          .sort()
          .at(-1)
        const renewed = yield* renewal.after(site, before, { changed, isWhole: replaces, lastDay, renews })
        const imported = { ...extent, changed, dropped, passed_over: passedOver, ...renewed } satisfies Imported
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
