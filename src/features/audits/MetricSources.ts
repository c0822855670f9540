import * as Schema from "effect/Schema"
import type { VitalsMetrics } from "./CoreWebVitals.ts"
import { type FieldData, sourceOf } from "./report/FieldData.ts"

const MetricSource = Schema.NullOr(Schema.Literal("lab", "page_field", "origin_field")).annotations({
  description:
    "`lab`: one run of Lighthouse. `page_field`, `origin_field`: real users of the page, or of its whole origin"
})

/** Where each metric of an audit was measured; null when it was not measured. */
export const MetricSources = Schema.Struct({
  lcp_ms: MetricSource,
  inp_ms: MetricSource,
  fcp_ms: MetricSource,
  ttfb_ms: MetricSource,
  cls: MetricSource
}).annotations({ identifier: "CoreWebVitalsSources", description: "Where each metric of an audit was measured" })
export type MetricSources = typeof MetricSources.Type

/** The sources of lab values merged with field data. */
export const metricSources = (lab: VitalsMetrics, field: FieldData | null): MetricSources => ({
  lcp_ms: sourceOf(lab, field, "lcp_ms"),
  inp_ms: sourceOf(lab, field, "inp_ms"),
  fcp_ms: sourceOf(lab, field, "fcp_ms"),
  ttfb_ms: sourceOf(lab, field, "ttfb_ms"),
  cls: sourceOf(lab, field, "cls")
})
