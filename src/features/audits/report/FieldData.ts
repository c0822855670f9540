import type { VitalsMetrics } from "../CoreWebVitals.ts"

/** What real users measured (75th percentile over 28 days), of the page itself or, for want of data, of its whole origin. */
export interface FieldData {
  readonly scope: "page" | "origin"
  readonly metrics: VitalsMetrics
}

/** Where a metric of an audit was measured. */
type MetricSource = "lab" | "page_field" | "origin_field"

/** Field values over lab values, metric by metric. */
export const withField = (lab: VitalsMetrics, field: FieldData | null): VitalsMetrics => ({
  lcp_ms: field?.metrics.lcp_ms ?? lab.lcp_ms,
  inp_ms: field?.metrics.inp_ms ?? lab.inp_ms,
  fcp_ms: field?.metrics.fcp_ms ?? lab.fcp_ms,
  ttfb_ms: field?.metrics.ttfb_ms ?? lab.ttfb_ms,
  cls: field?.metrics.cls ?? lab.cls
})

/** Where a metric of `withField` comes from; null when it was not measured. */
export const sourceOf = (
  lab: VitalsMetrics,
  field: FieldData | null,
  metric: keyof VitalsMetrics
): MetricSource | null => {
  if (field !== null && field.metrics[metric] !== null) return `${field.scope}_field`
  return lab[metric] === null ? null : "lab"
}
