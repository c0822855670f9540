import { mapped, type Steps } from "../../foundation/schema/Steps.ts"
import { normalEscapes } from "../page/UrlIdentity.ts"
import { type Matcher, matching, type Selection } from "../robots/Match.ts"
import type { RobotsGroup } from "../robots/RobotsTxt.ts"

/** Cost of writing a pattern in the other spelling, in characters. */
const worthOfPattern = 64

const spelt = new WeakMap<RobotsGroup, RobotsGroup>()

/** A group with its patterns in the spelling of the crawl, the same one where that is how they are written. */
function* normalOf(group: RobotsGroup): Steps<RobotsGroup> {
  const known = spelt.get(group)
  if (known !== undefined) return known
  let isNormal = true
  const rules = yield* mapped(group.rules, worthOfPattern, (rule) => {
    const pattern = normalEscapes(rule.pattern)
    isNormal &&= pattern === rule.pattern
    return { ...rule, pattern }
  })
  const normal = isNormal ? group : { ...group, rules }
  spelt.set(group, normal)
  return normal
}

/**
 * The crawl writes URLs with unreserved characters as they are, so patterns are compared in that spelling too (RFC 9309 §2.2.2);
 * what either spelling forbids is forbidden.
 */
export function* matcherOf(groups: Selection): Steps<Matcher> {
  const written = yield* matching(groups)
  const others: Array<Selection[number]> = []
  for (const [group, name] of groups) others.push([yield* normalOf(group), name])
  if (others.every(([group], at) => group === groups[at]?.[0])) return written
  const normal = yield* matching(others)
  return {
    cost: (url) => written.cost(url) + normal.cost(url),
    verdict: (url) => {
      const verdict = written.verdict(url)
      return verdict.allowed ? normal.verdict(url) : verdict
    }
  }
}
