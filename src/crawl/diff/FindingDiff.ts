import { unitsOf } from "../report/Evidence.ts"
import { isOpen } from "../report/States.ts"
import type { Cause, CrawlDiff, FindingUnit, Side } from "./CrawlDiff.ts"
import { brokenLinkCause } from "./DeadLinkDiff.ts"
import { sorted } from "./FourLists.ts"
import { isCertain, isEligibleOnly, needsOthers, scopeOf, seesBlocked } from "./RuleSight.ts"
import { type RunView, silenceOn, wasRead } from "./RunView.ts"

type Lists = CrawlDiff["findings"]

/** Faults of the whole site are one, wherever a run started in the end. */
const named = ({ finding, fails }: RunView, { rule, url }: FindingUnit): boolean =>
  scopeOf(rule) === "site" ? finding(rule)?.status === "fail" : fails(rule, url)

/** Null when a run checked a URL by a rule and it passed, else why that is not certain. */
const passes = (run: RunView, { category, rule, url }: FindingUnit): Cause | null => {
  const { finding, gap, page } = run
  const own = finding(rule)
  const isOff =
    (rule === "broken_link" && !run.checksLinks) || (rule === "external_link_broken" && !run.checksElsewhere)
  const closed = isOff ? "options_differ" : (gap ?? "rule_not_assessed")
  const scope = scopeOf(rule)
  const wider = needsOthers(rule, category) ? gap : null
  if (scope === "site") return own === undefined || own.status === "not_assessed" ? closed : wider
  const silence = silenceOn(run, url)
  if (silence !== null) return silence
  if (own === undefined) return "rule_not_assessed"
  const entry = page(url)
  if (entry === undefined) return "not_reached"
  if (scope === "page" && !wasRead(entry)) return "rule_not_assessed"
  if (isEligibleOnly(rule) && entry.health_state !== "eligible") return "rule_not_assessed"
  if (entry.fetch_state === "blocked_by_robots" && !seesBlocked(rule, category)) return "rule_not_assessed"
  return own.status === "not_assessed" || own.evidence.reason !== null ? closed : wider
}

/** A fault on a URL that did not answer may come and go with the network. */
const isVague = ({ page }: RunView, { url }: FindingUnit): boolean => {
  const reason = page(url)?.health_reason
  return reason !== undefined && isOpen(reason)
}

/** A fault that `run` names and `other` does not: why `other` does not settle whether it is new or fixed. */
const causeOf = (run: RunView, other: RunView, unit: FindingUnit, side: Side): Cause | null => {
  if (!run.isRecorded || !other.isRecorded) return "not_recorded"
  if (run.seed !== other.seed) return "options_differ"
  if (isVague(run, unit)) return "unverified"
  if (run.gap !== null && needsOthers(unit.rule, unit.category) && !isCertain(unit.rule)) return run.gap
  const cause = passes(other, unit)
  // What is known of the links themselves settles the page that they stand on, whatever else the run did not see.
  const ofLinks =
    cause !== null && unit.rule === "broken_link" ? brokenLinkCause(run, other, unit.url, side) : undefined
  if (ofLinks !== undefined) return ofLinks
  // A URL that is new to a run that had seen the whole site has only new faults.
  const isNewUrl = side === "after" && cause === "not_reached"
  return isNewUrl ? null : cause
}

/** Sorts every fault that either run names into exactly one of the four lists. */
export const findingDiff = (before: RunView, after: RunView): Lists =>
  sorted(
    {
      named: unitsOf(before.result.findings),
      open: (unit) => (named(after, unit) ? undefined : causeOf(before, after, unit, "before"))
    },
    {
      named: unitsOf(after.result.findings),
      open: (unit) => (named(before, unit) ? undefined : causeOf(after, before, unit, "after"))
    }
  )
