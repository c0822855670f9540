import type { Keyword, NotAssessed, Opportunity, RankingImport, RankingSummary } from "../api/Contract.ts"
import { change, count, dayLength, daysFrom, plural, position, share, timeOf } from "../parts/Formats.ts"

/** Position changes in readers' words. */
export const movements = {
  climbing: "Improved",
  dropping: "Declined",
  new: "New",
  lost: "Lost",
  stable: "Stable"
} as const

/** A position change in words: `9 → 8 improved`. A query without an earlier position is new, without a current one lost. */
export const wordsOf = ({ current_position, previous_position, ranking_status }: Keyword): string => {
  if (current_position === null) return `lost (was ${position(previous_position)})`
  if (previous_position === null) return `new at ${position(current_position)}`
  return `${position(previous_position)} → ${position(current_position)} ${movements[ranking_status].toLowerCase()}`
}

/** The reason for an opportunity. */
export const whyOf = ({ clicks, ctr, evidence }: Opportunity): string => {
  if ("target_ctr" in evidence) {
    const { target_ctr, target_position } = evidence
    return `Your site’s CTR at position ${target_position}: ${share(target_ctr.low)} to ${share(target_ctr.high)}. Current: ${share(ctr)}.`
  }
  if ("expected_ctr" in evidence)
    return `Expected CTR at this position: ${share(evidence.expected_ctr)} (${plural(Math.round(evidence.expected_clicks), "click")}). Actual: ${share(ctr)} (${count(clicks)}).`
  if ("before" in evidence) {
    const { before, parts } = evidence
    const part = (value: number) => change(Math.round(value))
    return `Previous 28 days: ${plural(before.clicks, "click")}. Change by demand ${part(parts.demand)}, by position ${part(parts.position)}, by CTR ${part(parts.ctr)}.`
  }
  return evidence.pages
    .map(
      ({ days_first, page_path, share: part }) =>
        `${page_path}: ${share(part)} of impressions, top page on ${plural(days_first, "day")}`
    )
    .join("; ")
}

/** The days that a list of opportunities still needs. */
export const reasonOf = ({ needed_days, reason }: NotAssessed): string =>
  `Needs ${count(needed_days)} consecutive days of data up to the latest day. ${
    reason === "missing_days" ? "Import the missing days below." : "Import older days below."
  }`

/** The problem of a file and its place: the name of the chosen file, if the page knows it, and of the file in its archive. */
export const faultOf = (
  { file, line, message }: NonNullable<RankingImport["error"]>,
  chosen: string | null
): string => {
  const name = file === null || chosen === null || file === chosen ? (file ?? chosen) : `${chosen}, ${file}`
  const place = [name, line === null ? null : `line ${count(line)}`].filter((part) => part !== null).join(", ")
  return place === "" ? message : `${place}: ${message}`
}

/** The previous period of equal length: `previous 28 days`. */
export const previousPeriod = (coverage: RankingSummary["coverage"]): string => {
  if (coverage === null) return "previous period"
  const { end, start } = coverage.previous
  return `previous ${plural(Math.round((timeOf(end) - timeOf(start)) / dayLength) + 1, "day")}`
}

/** Two periods that are compared: `Nov 18 – 24, 2026 vs. previous 7 days`. */
export const periodOf = (coverage: NonNullable<RankingSummary["coverage"]>): string =>
  `${daysFrom(coverage.current.start, coverage.current.end)} vs. ${previousPeriod(coverage)}`
