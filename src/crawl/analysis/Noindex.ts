import { forbidsIndexing } from "../page/RobotsDirectives.ts"
import type { Visit } from "../visit/Visit.ts"

/** Agents whose directives count: all robots, this crawler, and Googlebot, whose index matters to most sites. */
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
