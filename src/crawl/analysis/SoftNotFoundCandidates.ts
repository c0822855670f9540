import { each, type Steps } from "../../foundation/schema/Steps.ts"
import type { Run } from "../run/Run.ts"
import type { Visit } from "../visit/Visit.ts"
import { suspicion } from "./SoftNotFound.ts"

/** What makes a page look like an error page in disguise, in words; null when it does not. */
export const suspicionOf = ({ found, frontier }: Run, { bytes, facts }: Visit): string | null => {
  if (facts === null) return null
  const home = frontier.find(found.start.href)?.visit?.facts ?? null
  return suspicion(facts, bytes, found.probe, home)
}

/** Cost of judging a page, in characters. */
const worth = 128

/** Suspected soft 404 pages that were not yet fetched again, with the suspicion; the start page never is one. */
export function* softNotFoundCandidates(run: Run): Steps<ReadonlyMap<string, string>> {
  const suspects = new Map<string, string>()
  yield* each(run.frontier.records(), ({ url, visit }) => {
    if (visit === null || url === run.found.start.href || run.found.soft.has(url)) return 1
    const suspicion = suspicionOf(run, visit)
    if (suspicion !== null) suspects.set(url, suspicion)
    return worth
  })
  return suspects
}
