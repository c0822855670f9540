import { thresholds } from "../CoreWebVitals.ts"
import type { AuditEntry, LighthouseReport } from "../report/LighthouseReport.ts"

/** A metric that repairing a check is estimated to improve: `today` and `gain` in milliseconds, or unitless for CLS. */
interface Gain {
  readonly metric: "LCP" | "FCP" | "TBT" | "INP" | "CLS"
  readonly gain: number
  readonly today: number | null
}

/** The gains that Lighthouse claims for a check. */
export const gainsOf = ({ savings }: AuditEntry, { lab }: LighthouseReport): ReadonlyArray<Gain> => {
  const all: ReadonlyArray<Gain> = [
    { metric: "LCP", gain: savings.lcp, today: lab.lcp_ms },
    { metric: "FCP", gain: savings.fcp, today: lab.fcp_ms },
    { metric: "TBT", gain: savings.tbt, today: null },
    { metric: "INP", gain: savings.inp, today: lab.inp_ms },
    { metric: "CLS", gain: savings.cls, today: lab.cls }
  ]
  return all.filter(({ gain, metric }) => (metric === "CLS" ? gain >= 0.001 : gain >= 1))
}

const amount = (metric: Gain["metric"], value: number): string =>
  metric === "CLS" ? String(Math.round(value * 1000) / 1000) : `${Math.round(Math.min(value, 1e9))} ms`

/** "LCP 600 ms": one estimated gain in words. */
export const gainText = ({ gain, metric }: Gain): string => `${metric} ${amount(metric, gain)}`

/** What a new run should show for a gain. */
export const gainTarget = ({ gain, metric, today }: Gain): string =>
  today === null || gain >= today
    ? `${metric} improves (the estimate is ${amount(metric, gain)})`
    : `${metric} falls from ${amount(metric, today)} to about ${amount(metric, today - gain)}`

const vitalTargets: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(lcp-|largest-contentful|prioritize-lcp|preload-lcp)/, `LCP is at most ${thresholds.lcp_ms.good} ms`],
  [/^(cls-|layout-shift)/, `CLS is at most ${thresholds.cls.good}`],
  [/^(inp-|work-during-interaction)/, `INP is at most ${thresholds.inp_ms.good} ms`]
]

/** For a check about one Core Web Vital: its "good" bound. */
export const vitalTarget = (auditId: string): ReadonlyArray<string> =>
  vitalTargets.flatMap(([audits, target]) => (audits.test(auditId) ? [target] : []))
