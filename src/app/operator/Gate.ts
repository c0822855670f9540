import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { CrawlResult } from "../../crawl/Crawl.ts"
import type { Cause, CrawlDiff } from "../../crawl/diff/CrawlDiff.ts"
import type { Severity } from "../../crawl/report/Finding.ts"
import { plural } from "../../foundation/text/Words.ts"

const below = /^score<(\d{1,3})$/

const isCondition = (text: string): boolean => {
  const least = below.exec(text)?.[1]
  return least === undefined ? /^(?:new:)?(?:critical|warning|info)$/.test(text) : Number(least) <= 100
}

/** A condition under which a crawl fails a build. */
export const Condition = Schema.String.pipe(
  Schema.filter(isCondition, {
    message: () =>
      "must be critical, warning, info, new:critical, new:warning, new:info, or score<N with N from 0 to 100"
  })
)

/** Whether a condition needs a baseline. */
export const needsBaseline = (condition: string): boolean => condition.startsWith("new:")

/** A severity includes those above it. */
const covered: Readonly<Record<Severity, ReadonlyArray<Severity>>> = {
  critical: ["critical"],
  warning: ["critical", "warning"],
  info: ["critical", "warning", "info"]
}

const severityOf = (condition: string): Severity => {
  const word = condition.replace("new:", "")
  return word === "critical" || word === "warning" ? word : "info"
}

/** Baselines against which nothing can be new. */
const unlike: Readonly<Partial<Record<Cause, string>>> = {
  not_recorded: "the baseline was made by an older version that did not keep every URL; make it again",
  options_differ: "the baseline started at another address or did not check links; make it again with the same options"
}

/** Why one condition fails; null when it does not, left when it cannot be judged. */
const verdict = (condition: string, { findings, score }: CrawlResult, diff: CrawlDiff | null) => {
  const limit = below.exec(condition)?.[1]
  if (limit !== undefined) {
    const value = score.aggregate_score
    if (value === null) return Either.left(`${condition}: there is no score, because nothing could be measured`)
    return Either.right(value < Number(limit) ? `${condition}: the score is ${value}` : null)
  }
  const severities = covered[severityOf(condition)]
  if (!needsBaseline(condition)) {
    const rules = findings.filter(({ severity, status }) => status === "fail" && severities.includes(severity))
    return Either.right(
      rules.length === 0
        ? null
        : `${condition}: ${plural(rules.length, "rule")} failed: ${rules.map(({ rule }) => rule).join(", ")}`
    )
  }
  if (diff === null) return Either.left(`${condition} needs --baseline`)
  const blind = [
    ...diff.findings.not_comparable.filter(({ severity }) => severities.includes(severity)),
    ...diff.dead_links.not_comparable
  ]
    .filter(({ found_in }) => found_in === "after")
    .find(({ cause }) => cause === "options_differ" || cause === "not_recorded")
  if (blind !== undefined) return Either.left(`${condition}: ${unlike[blind.cause] ?? ""}`)
  const fresh = diff.findings.new.filter(({ severity }) => severities.includes(severity))
  // A page that had a dead link and has another one now fails the same rule as before.
  const links = diff.dead_links.new.length
  const rules = [...new Set(fresh.map(({ rule }) => rule))]
  const reasons = [
    ...(fresh.length === 0 ? [] : [`${plural(fresh.length, "new finding")}: ${rules.join(", ")}`]),
    ...(links === 0 ? [] : [plural(links, "new dead link")])
  ]
  return Either.right(reasons.length === 0 ? null : `${condition}: ${reasons.join("; ")}`)
}

/** Why a crawl fails its gate, a sentence for each condition that does; left when a condition cannot be judged. */
export const gate = (
  conditions: ReadonlyArray<string>,
  result: CrawlResult,
  diff: CrawlDiff | null
): Either.Either<ReadonlyArray<string>, string> =>
  Either.map(Either.all(conditions.map((condition) => verdict(condition, result, diff))), (reasons) =>
    reasons.filter((reason) => reason !== null)
  )
