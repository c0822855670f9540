import * as Effect from "effect/Effect"
import * as Traced from "../../../foundation/schema/Traced.ts"
import type { Coverage } from "../Domain.ts"
import { type Generation, Generations } from "../generation/Generations.ts"
import { type Site, type SiteState, SitesRepo } from "../SitesRepo.ts"
import { DaysRepo } from "./DaysRepo.ts"

/** What a change of facts was: how many, and the newest day that it touched at any level. */
interface Change {
  readonly changed: number
  readonly lastDay: string | undefined
  readonly renews: boolean
  /** Whether the caller says that the data of the days are complete. */
  readonly isWhole: boolean
}

/** What follows from a change of facts. */
export interface Renewed {
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
