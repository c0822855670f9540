import type { DesignedAnalysis } from "./DesignedAnalysis.ts"
import type { Metric } from "./Panel.ts"
import type { Warning } from "./Warnings.ts"

/** Days, both inclusive, over which Search Console reported or counted impressions differently; add a line when a new one is known. */
export interface ReportingFault {
  readonly from: string
  readonly to: string
  readonly about: string
}

/** As Google says on "Data anomalies in Search Console", and as sites saw in September 2025. */
export const knownFaults: ReadonlyArray<ReportingFault> = [
  { from: "2025-05-13", to: "2026-04-27", about: "Search Console reported too many impressions" },
  {
    from: "2025-09-10",
    to: "2025-09-14",
    about: "impressions on computers fell when Google ended result pages of 100 (num=100)"
  }
]

/** Whether a fault begins or ends among the days of the windows, so that some of them lie within it and some without. */
const isCrossed = ({ from, to }: ReportingFault, first: string, last: string): boolean =>
  (first < from && from <= last) || (first <= to && to < last)

/** The warning `reporting_fault`: a fault of the reported impressions begins or ends between the first and the last day of the windows. Clicks are not touched by it. */
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
      sentence: `The days compared cross a change of how impressions were counted (${named.join("; ")}), which moves the click-through rate by itself.`
    }
  ]
}
