import { forbidsIndexing } from "../page/RobotsDirectives.ts"
import type { Visit } from "../visit/Visit.ts"

/** Whom a directive must address to count: everybody, this crawler, or the engine whose index most sites ask about. */
const heeded = new Set(["robots", "findablebot", "googlebot"])

/** A robots meta in the head that takes the page out of the index; the most restrictive one wins. */
export const metaNoindex = (visit: Visit, now: number): boolean =>
  visit.facts?.robots.some(
    ({ agent, directives, inHead }) => inHead && heeded.has(agent) && forbidsIndexing(directives, now)
  ) ?? false

/** An `X-Robots-Tag` line that does the same. */
export const headerNoindex = (visit: Visit, now: number): boolean =>
  visit.headerFacts?.robotsTags.some(
    ({ agent, directives }) => (agent === null || heeded.has(agent.toLowerCase())) && forbidsIndexing(directives, now)
  ) ?? false
