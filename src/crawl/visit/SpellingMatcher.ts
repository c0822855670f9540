import { mapped, type Steps } from "../../foundation/schema/Steps.ts"
import { normalEscapes } from "../page/UrlIdentity.ts"
import { type Matcher, matching, type Selection } from "../robots/Match.ts"

/** Cost of writing a pattern in the other spelling, in characters. */
const worthOfPattern = 64

/**
 * The crawl writes URLs with unreserved characters as they are, so patterns are compared in that spelling too (RFC 9309 §2.2.2);
 * what either spelling forbids is forbidden.
 */
export function* matcherOf(groups: Selection): Steps<Matcher> {
  const written = yield* matching(groups)
  let isNormal = true
  const spelt: Array<Selection[number]> = []
  for (const [group, name] of groups) {
    const rules = yield* mapped(group.rules, worthOfPattern, (rule) => {
      const pattern = normalEscapes(rule.pattern)
      isNormal &&= pattern === rule.pattern
      return { ...rule, pattern }
    })
    spelt.push([{ ...group, rules }, name])
  }
  if (isNormal) return written
  const normal = yield* matching(spelt)
  return {
    cost: (url) => written.cost(url) + normal.cost(url),
    verdict: (url) => {
      const verdict = written.verdict(url)
      return verdict.allowed ? normal.verdict(url) : verdict
    }
  }
}
