import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Field.ts"

const Milliseconds = Schema.NullOr(Schema.NonNegative)

/** Verdict over LCP, INP and CLS: the worst of those that are known, `unknown` while LCP or CLS is not. */
export const VitalsStatus = Schema.Literal("good", "needs_improvement", "poor", "unknown").annotations({
  identifier: "CoreWebVitalsStatus",
  description:
    "Worst of LCP (good to 2,500 ms, poor above 4,000), INP (200 and 500 ms) and CLS (0.1 and 0.25); `unknown` while LCP or CLS is"
})
export type VitalsStatus = typeof VitalsStatus.Type

/** Measured values, unrounded; null means not measured, which is never the same as 0. */
export const VitalsMetrics = Schema.Struct({
  lcp_ms: Milliseconds.annotations({ description: "Largest Contentful Paint in milliseconds; null when not measured" }),
  inp_ms: Milliseconds.annotations({
    description: "Interaction to Next Paint in milliseconds, from real users alone; null when not measured"
  }),
  fcp_ms: Milliseconds.annotations({ description: "First Contentful Paint in milliseconds; null when not measured" }),
  ttfb_ms: Milliseconds.annotations({ description: "Time to first byte in milliseconds; null when not measured" }),
  cls: Schema.NullOr(Schema.NonNegative).annotations({
    description: "Cumulative Layout Shift, without unit; null when not measured"
  })
}).annotations({
  identifier: "CoreWebVitalsMetrics",
  description: "Measured values, unrounded; null means not measured, which is never the same as 0"
})
export type VitalsMetrics = typeof VitalsMetrics.Type

/** A request that holds back the first paint: bytes over the network and the estimated delay in milliseconds. */
export const RenderBlockingResource = Schema.Struct({
  url: Schema.String.annotations({ description: "Address of the resource" }),
  transfer_bytes: Schema.NullOr(Schema.NonNegativeInt).annotations({
    description: "Bytes over the network; null when not reported"
  }),
  wasted_ms: Milliseconds.annotations({
    description: "Estimated delay of the first paint in milliseconds; null when not reported"
  })
}).annotations({ identifier: "RenderBlockingResource", description: "A request that holds back the first paint" })
export type RenderBlockingResource = typeof RenderBlockingResource.Type

/** What explains the values: the LCP element and the requests in front of the first paint. */
export const VitalsDiagnostics = Schema.Struct({
  lcp_element_selector: Schema.NullOr(Schema.String).annotations({
    description: "CSS selector of the LCP element; null when not reported"
  }),
  render_blocking_resources: Schema.Array(RenderBlockingResource).annotations({
    description: "Requests in front of the first paint; empty when there are none"
  })
}).annotations({ identifier: "CoreWebVitalsDiagnostics", description: "What explains the values" })
export type VitalsDiagnostics = typeof VitalsDiagnostics.Type

/** Core Web Vitals of one page. */
export const CoreWebVitals = Schema.Struct({
  status: field(VitalsStatus, "Verdict over LCP, INP and CLS"),
  metrics: field(VitalsMetrics, "Measured values"),
  diagnostics: field(VitalsDiagnostics, "What explains the values")
})
export type CoreWebVitals = typeof CoreWebVitals.Type

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
