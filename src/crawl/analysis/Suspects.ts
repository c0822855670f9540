import type { Run } from "../engine/Run.ts"
import type { Visit } from "../visit/Visit.ts"
import { suspicion } from "./SoftNotFound.ts"

/** What makes a page look like an error page in disguise, in words; null when it does not. */
export const suspicionOf = ({ found, frontier }: Run, { bytes, facts }: Visit): string | null => {
  if (facts === null) return null
  const home = frontier.find(found.start.href)?.visit?.facts ?? null
  return suspicion(facts, bytes, found.probe, home)
}

/** Suspected soft 404 pages that were not looked at again yet, with the suspicion; the start page never is one. */
export const suspectsOf = (run: Run): ReadonlyMap<string, string> =>
  new Map(
    run.frontier.records().flatMap(({ url, visit }) => {
      const isOpen = visit !== null && url !== run.found.start.href && !run.found.soft.has(url)
      const suspicion = isOpen ? suspicionOf(run, visit) : null
      return suspicion === null ? [] : [[url, suspicion] as const]
    })
  )
