import type { Health } from "../api/Contract.ts"
import { plural } from "../parts/Formats.ts"

/** Why a site needs its owner, and how urgently: the smaller the rank the sooner. */
interface Need {
  readonly rank: number
  /** Nothing for a site that needs none. */
  readonly words: string | null
}

/** Points that a score may fall from one run to the next without a word. */
const tolerance = 2

/** What a site needs by its newest result: critical findings come first, then what could not be measured, a fall, a poor score. */
export const needOf = ({ delta, findings, next_at, run_id, running_run_id, score }: Health): Need => {
  const critical = findings?.critical ?? 0
  if (critical > 0) return { rank: 0, words: plural(critical, "critical finding") }
  if (run_id === null) return { rank: 3, words: running_run_id === null ? "never checked" : null }
  if (score === null) return { rank: 1, words: "nothing could be measured" }
  if (delta !== null && delta < -tolerance) return { rank: 1, words: `fell by ${plural(-delta, "point")}` }
  if (score < 50) return { rank: 2, words: "poor score" }
  return { rank: next_at === null ? 4 : 5, words: null }
}

/** Sites in the order in which they need their owner; those that need the same by their score, the lowest first. */
export const byNeed = <T extends { readonly health: Health; readonly name: string }>(
  sites: ReadonlyArray<T>
): ReadonlyArray<T> =>
  sites.toSorted(
    (a, b) =>
      needOf(a.health).rank - needOf(b.health).rank ||
      (a.health.score ?? 101) - (b.health.score ?? 101) ||
      a.name.localeCompare(b.name, undefined, { numeric: true })
  )
