import type { Health } from "../api/Contract.ts"
import { plural, points } from "../parts/Formats.ts"

/** Why a site needs attention, and how urgently: rank 0 comes first. */
interface Need {
  readonly rank: number
  /** Null for a site that needs no attention. */
  readonly words: string | null
}

/** A score may fall by this many points between two crawls before the site needs attention. */
const tolerance = 2

/** The need of a site after its latest crawl: critical issues first, then a failed crawl, a missing score or a drop, then a poor score. */
export const needOf = ({ delta, failed, findings, next_at, run_id, running_run_id, score }: Health): Need => {
  const critical = findings?.critical ?? 0
  if (critical > 0) return { rank: 0, words: plural(critical, "critical issue") }
  if (failed !== null && running_run_id === null)
    return { rank: 1, words: run_id === null ? "crawl failed" : "latest crawl failed" }
  if (run_id === null) return { rank: 3, words: running_run_id === null ? "no completed crawl" : null }
  if (score === null) return { rank: 1, words: "no score: no page could be crawled" }
  if (delta !== null && delta < -tolerance) return { rank: 1, words: `score down ${points(-delta)}` }
  if (score < 50) return { rank: 2, words: "poor score" }
  return { rank: next_at === null ? 4 : 5, words: null }
}

/** Sorts sites by urgency, then by ascending score. */
export const byNeed = <T extends { readonly health: Health; readonly name: string }>(
  sites: ReadonlyArray<T>
): ReadonlyArray<T> =>
  sites.toSorted(
    (a, b) =>
      needOf(a.health).rank - needOf(b.health).rank ||
      (a.health.score ?? 101) - (b.health.score ?? 101) ||
      a.name.localeCompare(b.name, undefined, { numeric: true })
  )
