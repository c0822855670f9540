import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Query from "../../database/Query.ts"
import { bulkWork } from "../BulkWork.ts"
import { type Generation, Generations } from "../generation/Generations.ts"
import { addDropped, type Batch, type Dropped, noneDropped } from "../RawRow.ts"
import { type Site, SitesRepo } from "../SitesRepo.ts"
import { ImportsRepo, type Source } from "./ImportsRepo.ts"
import { MergeRepo } from "./MergeRepo.ts"
import * as Parts from "./Parts.ts"
import * as Span from "./Span.ts"
import { StagingRepo } from "./StagingRepo.ts"

/** A piece of a file, the files numbered in their order. */
export interface Piece {
  readonly file: number
  readonly batch: Batch
}

/** What is imported, and from where. */
export interface ImportRequest {
  readonly site: Site
  readonly source: Source
  /** The day that a synchronisation asked for, which counts as synchronised even when it is empty. */
  readonly syncedDay?: string
  /** Whether rankings are renewed now, or later by `renew`. */
  readonly renews: boolean
}

/** What came of an import; `changed` counts the facts that are new, different or gone. */
export interface Imported {
  readonly rows: number
  readonly dropped: Dropped
  readonly first_day: string | null
  readonly last_day: string | null
  readonly changed: number
  readonly renewed: Generation | null
}

/** Pieces decoded ahead of the database. */
const ahead = 4

/** Imports facts: each import is one transaction, so that it is there as a whole with everything that follows from it, or not at all. */
export class Imports extends Effect.Service<Imports>()("rankings/import/Imports", {
  dependencies: [Generations.Default, ImportsRepo.Default, MergeRepo.Default, SitesRepo.Default, StagingRepo.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const generations = yield* Generations
    const imports = yield* ImportsRepo
    const merger = yield* MergeRepo
    const sites = yield* SitesRepo
    const staging = yield* StagingRepo

    const stage = <E, R>(site: Site, pieces: Stream.Stream<Piece, E, R>) =>
      Effect.gen(function* () {
        const parts = Parts.numbering()
        let dropped = noneDropped
        let span = Span.nothing
        yield* staging.open(site.id)
        yield* pieces.pipe(
          Stream.buffer({ capacity: ahead }),
          Stream.runForEach(({ batch, file }) => {
            dropped = addDropped(dropped, batch.dropped)
            span = Span.extended(span, batch.rows)
            return batch.rows.length === 0 ? Effect.void : staging.add(parts.of(file, batch).number, batch.rows)
          })
        )
        return { dropped, parts: parts.all(), span }
      })

    const merge = (
      site: Site,
      { first_day: firstDay, last_day: lastDay }: Span.Span,
      parts: ReadonlyArray<Parts.Part>
    ) =>
      firstDay === null || lastDay === null
        ? Effect.succeed(0)
        : merger.merge({ firstDay, lastDay, parts, site: site.id })

    /** Renews the rankings when facts have changed since they were computed; in the transaction that holds the site's lock. */
    const renewStale = Effect.fnUntraced(function* (site: Site, newestDay: string | null, isStale: boolean) {
      yield* sites.mark({ newestDay, site: site.id, stale: false })
      const { newest_day: newest } = yield* sites.lock({ site: site.id })
      return isStale && newest !== null ? yield* generations.renew(site, newest) : null
    })

    const settle = (generation: Generation | null) =>
      generation === null ? Effect.void : generations.settle(generation)

    /** Imports all pieces or, when one of them fails, none. */
    const run = Effect.fn("Imports.run")(function* <E, R>(
      { renews, site, source, syncedDay }: ImportRequest,
      pieces: Stream.Stream<Piece, E, R>
    ) {
      const imported = yield* Effect.gen(function* () {
        yield* bulkWork(sql)
        const { dropped, parts, span } = yield* stage(site, pieces)
        const before = yield* sites.lock({ site: site.id })
        const changed = yield* merge(site, span, parts)
        const newest = syncedDay ?? span.last_day
        const isNewer = newest !== null && (before.newest_day === null || newest > before.newest_day)
        const reaches =
          span.last_day !== null && generations.concerns(before.newest_day ?? span.last_day, span.last_day)
        const isStale = before.is_stale || isNewer || (changed > 0 && reaches)
        yield* imports.record({ ...span, changed, dropped, site: site.id, source, syncedDay: syncedDay ?? null })
        const renewed = renews ? yield* renewStale(site, newest, isStale) : null
        if (!renews) yield* sites.mark({ newestDay: newest, site: site.id, stale: isStale })
        return { ...span, changed, dropped, renewed } satisfies Imported
      }).pipe(Query.transaction(sql))
      yield* settle(imported.renewed)
      return imported
    })

    /** Renews the site's rankings if they are behind its facts. */
    const renew = Effect.fn("Imports.renew")(function* (site: Site) {
      const renewed = yield* Effect.gen(function* () {
        yield* bulkWork(sql)
        const { is_stale } = yield* sites.lock({ site: site.id })
        return yield* renewStale(site, null, is_stale)
      }).pipe(Query.transaction(sql))
      yield* settle(renewed)
      return renewed
    })

    return { renew, run }
  })
}) {}
