import type { VitalsMetrics, VitalsStatus } from "../CoreWebVitals.ts"

/** Upper bounds of "good" and of "needs improvement", inclusive (web.dev/articles/vitals, 75th percentile). */
export const thresholds = {
  lcp_ms: { good: 2_500, needsImprovement: 4_000 },
  inp_ms: { good: 200, needsImprovement: 500 },
  cls: { good: 0.1, needsImprovement: 0.25 }
} as const

const bucket = (value: number, bounds: { readonly good: number; readonly needsImprovement: number }): VitalsStatus => {
  if (value <= bounds.good) return "good"
  return value <= bounds.needsImprovement ? "needs_improvement" : "poor"
}

/** The worst of the known LCP, INP and CLS; INP may be missing, but without LCP or CLS the status is unknown. */
export const vitalsStatus = ({ cls, inp_ms, lcp_ms }: VitalsMetrics): VitalsStatus => {
  if (lcp_ms === null || cls === null) return "unknown"
  const known = [bucket(lcp_ms, thresholds.lcp_ms), bucket(cls, thresholds.cls)]
  if (inp_ms !== null) known.push(bucket(inp_ms, thresholds.inp_ms))
  if (known.includes("poor")) return "poor"
  return known.includes("needs_improvement") ? "needs_improvement" : "good"
}
