import { sha256 } from "../../../../foundation/http/Digest.ts"
import { mapped, type Steps, sorted } from "../../../../foundation/schema/Steps.ts"
import type { DesignedAnalysis } from "./DesignedAnalysis.ts"
import type { Warning } from "./Evaluate.ts"
import type { Metric } from "./Panel.ts"

/** A page and its clicks over the pre window. */
export interface Candidate {
  readonly path: string
  readonly clicks: number
}

/** Paths of both arms, most clicked first. */
export interface Arms {
  readonly treatment: ReadonlyArray<string>
  readonly control: ReadonlyArray<string>
}

/** Order by code points, which differs from JavaScript's code units beyond U+FFFF. */
const byCodePoint = (a: string, b: string): number => {
  let at = 0
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1)
}

/** Cost of sorting or hashing a page, in characters. */
const worth = 20

/**
 * Randomly assigns pages with a click to the arms: sorted by falling clicks, then by path in code-point order, they form consecutive pairs; in each pair the
 * path with the smaller SHA-256 of seed, line feed and path is treated. An odd last page is control. Equal pages and seed give equal arms on every machine.
 */
export const assigning = function* (pages: ReadonlyArray<Candidate>, seed: string): Steps<Arms> {
  const ranked = yield* sorted(
    pages.filter(({ clicks }) => clicks >= 1),
    worth,
    (a, b) => b.clicks - a.clicks || byCodePoint(a.path, b.path)
  )
  const hashed = yield* mapped(ranked, worth, ({ path }) => ({ path, hash: sha256(`${seed}\n${path}`) }))
  const treatment: Array<string> = []
  const control: Array<string> = []
  for (let at = 0; at < hashed.length; at += 2) {
    const [first, second] = [hashed[at], hashed[at + 1]]
    if (first === undefined) break
    const isFirst = second !== undefined && first.hash.compare(second.hash) < 0
    if (second === undefined) control.push(first.path)
    else if (isFirst) {
      treatment.push(first.path)
      control.push(second.path)
    } else {
      treatment.push(second.path)
      control.push(first.path)
    }
  }
  return { treatment, control }
}

/** Days, both inclusive, with other reporting or counting of impressions in Search Console; add a line for each new case. */
interface ReportingFault {
  readonly from: string
  readonly to: string
  readonly about: string
}

/** From Google's "Data anomalies in Search Console", and from observations in September 2025. */
export const knownFaults: ReadonlyArray<ReportingFault> = [
  { from: "2025-05-13", to: "2026-04-27", about: "Search Console reported too many impressions" },
  {
    from: "2025-09-10",
    to: "2025-09-14",
    about: "desktop impressions fell when Google ended result pages of 100 (num=100)"
  }
]

/** Whether a fault begins or ends within the days of the windows, so that it affects only some of them. */
const isCrossed = ({ from, to }: ReportingFault, first: string, last: string): boolean =>
  (first < from && from <= last) || (first <= to && to < last)

/**
 * The warning `reporting_fault`: a fault of the reported impressions begins or ends between the first and the last day of the windows. Clicks are not
 * affected.
 */
export const reportingFaults = (
  metric: Metric,
  { post, pre }: Pick<DesignedAnalysis["windows"], "pre" | "post">,
  faults: ReadonlyArray<ReportingFault> = knownFaults
): ReadonlyArray<Warning> => {
  if (metric === "clicks") return []
  const crossed = faults.filter((fault) => isCrossed(fault, pre[0], post[1]))
  if (crossed.length === 0) return []
  const named = crossed.map(({ about, from, to }) => `${from} to ${to}: ${about}`)
  return [
    {
      code: "reporting_fault",
      sentence: `During these days the counting of impressions changed (${named.join("; ")}), which shifts the click-through rate by itself.`
    }
  ]
}

/** Experiments designed from page totals, as a library: no SQL, no API. */

export { DesignedAnalysis, DesignPower, DesignPreview, WarningCode } from "./DesignedAnalysis.ts"
export type { DesignFault } from "./Estimate.ts"
export { neededDays } from "./Estimate.ts"
export {
  evaluate,
  evaluating,
  foreseeing,
  postDays,
  powering,
  previewing,
  type Warning,
  withWarnings
} from "./Evaluate.ts"
export type { Design, Lengths, Metric, Panel } from "./Panel.ts"
