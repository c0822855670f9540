import type { Keyword, NotAssessed, Opportunity, RankingImport } from "../api/Contract.ts"
import { change, count, plural, position, share } from "../parts/Formats.ts"

/** What became of a position in words: `9 → 8 climbing`; who has no position before or now is new or lost. */
export const wordsOf = ({ current_position, previous_position, ranking_status }: Keyword): string => {
  if (current_position === null) return `lost, was ${position(previous_position)}`
  if (previous_position === null) return `new at ${position(current_position)}`
  return `${position(previous_position)} → ${position(current_position)} ${ranking_status}`
}

/** What the gain of an opportunity rests on, in words. */
export const restsOn = ({ evidence }: Opportunity): string => {
  if ("target_ctr" in evidence) {
    const { target_ctr, target_position } = evidence
    return `At position ${target_position} this site gets ${share(target_ctr.low)} to ${share(target_ctr.high)} of clicks.`
  }
  if ("expected_ctr" in evidence)
    return `The site’s own curve expects ${share(evidence.expected_ctr)} at this position: ${plural(Math.round(evidence.expected_clicks), "click")}.`
  if ("before" in evidence) {
    const { before, parts } = evidence
    const part = (value: number) => change(Math.round(value))
    return `${plural(before.clicks, "click")} before; by demand ${part(parts.demand)}, by position ${part(parts.position)}, by clicks at the same position ${part(parts.ctr)}.`
  }
  return evidence.pages
    .map(
      ({ days_first, page_path, share: part }) => `${page_path}: ${share(part)}, first on ${plural(days_first, "day")}`
    )
    .join("; ")
}

/** Why a list could not be made. */
export const reasonOf = ({ needed_days, reason }: NotAssessed): string =>
  reason === "missing_days"
    ? `Days are missing: it takes all of the newest ${count(needed_days)} days, without gaps.`
    : `The data begin too late: it takes ${count(needed_days)} days in a row up to the newest one.`

/** What is wrong with a file, and where in it. */
export const faultOf = ({ file, line, message }: NonNullable<RankingImport["error"]>): string =>
  `${line === null ? "" : `Line ${count(line)}${file === null ? "" : ` of ${file}`}: `}${message}`
