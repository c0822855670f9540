import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { field, hostProblem, isWebAddress, portProblem, Uuid, webUrl } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"

const Milliseconds = Schema.NullOr(Schema.NonNegative)

/** The worst rating of the known LCP, INP and CLS; `unknown` without LCP or CLS. */
const VitalsStatus = Schema.Literal("good", "needs_improvement", "poor", "unknown").annotations({
  identifier: "CoreWebVitalsStatus",
  description:
    "Core Web Vitals assessment: the worst of LCP (good up to 2,500 ms, poor above 4,000), INP (200 and 500 ms) and CLS (0.1 and 0.25); `unknown` when LCP or CLS is missing"
})
type VitalsStatus = typeof VitalsStatus.Type

/** Measured values, unrounded; null means not measured, never 0. */
export const VitalsMetrics = Schema.Struct({
  lcp_ms: Milliseconds.annotations({ description: "Largest Contentful Paint in milliseconds; null when not measured" }),
  inp_ms: Milliseconds.annotations({
    description: "Interaction to Next Paint in milliseconds, from real users only; null when not measured"
  }),
  fcp_ms: Milliseconds.annotations({ description: "First Contentful Paint in milliseconds; null when not measured" }),
  ttfb_ms: Milliseconds.annotations({ description: "Time to first byte in milliseconds; null when not measured" }),
  cls: Schema.NullOr(Schema.NonNegative).annotations({
    description: "Cumulative Layout Shift, without unit; null when not measured"
  })
}).annotations({
  identifier: "CoreWebVitalsMetrics",
  description: "Measured values, not rounded; null means not measured"
})
export type VitalsMetrics = typeof VitalsMetrics.Type

/** A request that delays the first paint: bytes over the network and the estimated delay in milliseconds. */
export const RenderBlockingResource = Schema.Struct({
  url: Schema.String.annotations({ description: "URL of the resource" }),
  transfer_bytes: Schema.NullOr(Schema.NonNegativeInt).annotations({
    description: "Bytes over the network; null when not reported"
  }),
  wasted_ms: Milliseconds.annotations({
    description: "Estimated delay of the first paint in milliseconds; null when not reported"
  })
}).annotations({ identifier: "RenderBlockingResource", description: "A render-blocking resource" })
export type RenderBlockingResource = typeof RenderBlockingResource.Type

/** Explanations of the values: the LCP element and the render-blocking requests. */
export const VitalsDiagnostics = Schema.Struct({
  lcp_element_selector: Schema.NullOr(Schema.String).annotations({
    description: "CSS selector of the LCP element; null when not reported"
  }),
  render_blocking_resources: Schema.Array(RenderBlockingResource).annotations({
    description: "Render-blocking resources; empty when there are none"
  })
}).annotations({ identifier: "CoreWebVitalsDiagnostics", description: "Diagnostics that explain the values" })
export type VitalsDiagnostics = typeof VitalsDiagnostics.Type

/** Core Web Vitals of one page. */
const CoreWebVitals = Schema.Struct({
  status: field(VitalsStatus, "Core Web Vitals assessment of LCP, INP and CLS"),
  metrics: field(VitalsMetrics, "Measured values"),
  diagnostics: field(VitalsDiagnostics, "Diagnostics that explain the values")
})

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

/** The worst rating of the known LCP, INP and CLS; INP may be missing, but without LCP or CLS the status is unknown. */
export const vitalsStatus = ({ cls, inp_ms, lcp_ms }: VitalsMetrics): VitalsStatus => {
  if (lcp_ms === null || cls === null) return "unknown"
  const known = [bucket(lcp_ms, thresholds.lcp_ms), bucket(cls, thresholds.cls)]
  if (inp_ms !== null) known.push(bucket(inp_ms, thresholds.inp_ms))
  if (known.includes("poor")) return "poor"
  return known.includes("needs_improvement") ? "needs_improvement" : "good"
}

/** Identifier of an audit. */
export const AuditId = Uuid.pipe(Schema.brand("AuditId"))
export type AuditId = typeof AuditId.Type

/** The form factor of an audit. */
export const Device = Schema.Literal("mobile", "desktop").annotations({
  identifier: "AuditDevice",
  description: "Device that the audit simulates"
})
export type Device = typeof Device.Type

/** The runner of an audit: Lighthouse on this installation's Chromium, or PageSpeed Insights on Google's machines. */
export const Auditing = Schema.Literal("lighthouse", "psi").annotations({
  identifier: "Auditing",
  description:
    "`lighthouse`: in Chromium on this server; `psi`: PageSpeed Insights, on Google's servers, with field data"
})
export type Auditing = typeof Auditing.Type

/** The source of an audit: a runner, or an imported report. */
export const Source = Schema.Literal(...Auditing.literals, "import").annotations({
  identifier: "AuditSource",
  description: "Source of the report; `import`: an imported report"
})
export type Source = typeof Source.Type

/** The four Lighthouse categories of an audit, in this API's spelling. */
export const Category = Schema.Literal("performance", "seo", "accessibility", "best_practices").annotations({
  identifier: "AuditCategory",
  description: "Lighthouse category"
})
export type Category = typeof Category.Type

/** Lighthouse's own key of each category, in reading order. */
export const lighthouseKey = {
  performance: "performance",
  accessibility: "accessibility",
  best_practices: "best-practices",
  seo: "seo"
} as const satisfies Record<Category, string>

/** The categories in reading order; an equal finding belongs to the earlier category. */
export const categories: ReadonlyArray<Category> = ["performance", "accessibility", "best_practices", "seo"]

/** Whole points from 0 to 100. */
export const ScorePoints = Schema.Int.pipe(Schema.between(0, 100)).annotations({ identifier: "ScorePoints" })

const Range = <A, I>(identifier: string, value: Schema.Schema<A, I>) =>
  Schema.NullOr(
    Schema.Struct({
      lowest: field(value, "Lowest value of the Lighthouse runs"),
      highest: field(value, "Highest value of the Lighthouse runs")
    }).annotations({ identifier, description: "Lowest and highest value of several Lighthouse runs" })
  )

const Measured = Range("MetricRange", Schema.NonNegative)

/** Lowest and highest values of an audit's runs; null for a metric that no run measured. */
export const Spread = Schema.Struct({
  runs: Schema.Int.annotations({ description: "Number of Lighthouse runs" }),
  performance: Range("ScoreRange", ScorePoints).annotations({
    description: "Performance scores, 0 to 100; null when not measured"
  }),
  lcp_ms: Measured.annotations({
    description: "Largest Contentful Paint in milliseconds; null when not measured"
  }),
  fcp_ms: Measured.annotations({ description: "First Contentful Paint in milliseconds; null when not measured" }),
  ttfb_ms: Measured.annotations({ description: "Time to first byte in milliseconds; null when not measured" }),
  cls: Measured.annotations({ description: "Cumulative Layout Shift, without unit; null when not measured" })
}).annotations({
  identifier: "AuditSpread",
  description: "Lowest and highest values of the Lighthouse runs behind an audit, which reports their median"
})
export type Spread = typeof Spread.Type

/** Why an audit has no report. */
export const AuditFailureCode = Schema.Literal(
  "dns_failure",
  "page_unreachable",
  "connection_refused",
  "page_error_status",
  "page_not_html",
  "page_insecure",
  "page_blank",
  "page_timed_out",
  "address_refused",
  "score_missing",
  "run_timed_out",
  "browser_missing",
  "browser_failed",
  "lighthouse_missing",
  "source_unavailable",
  "worker_lost",
  "lighthouse_error"
).annotations({ identifier: "AuditFailureCode", description: "Why an audit has no report" })
export type AuditFailureCode = typeof AuditFailureCode.Type

/** A failed audit: `message` is written by Findable, `lighthouse_code` is the producer's code if it gave one. */
export const AuditFailure = Schema.Struct({
  code: field(AuditFailureCode, "What went wrong"),
  message: Schema.String.annotations({ description: "One sentence for people: what happened, why, and what to do" }),
  lighthouse_code: Schema.NullOr(Schema.String).annotations({
    description: "Code that Lighthouse or PageSpeed Insights gave; null when it gave none"
  })
}).annotations({ identifier: "AuditFailure", description: "A failed audit" })
export type AuditFailure = typeof AuditFailure.Type

/** Values from real users (75th percentile over 28 days), of the page itself or, without enough data, of its whole origin. */
export interface FieldData {
  readonly scope: "page" | "origin"
  readonly metrics: VitalsMetrics
}

/** The source of a metric. */
type MetricSource = "lab" | "page_field" | "origin_field"

/** Field values over lab values, metric by metric. */
export const withField = (lab: VitalsMetrics, field: FieldData | null): VitalsMetrics => ({
  lcp_ms: field?.metrics.lcp_ms ?? lab.lcp_ms,
  inp_ms: field?.metrics.inp_ms ?? lab.inp_ms,
  fcp_ms: field?.metrics.fcp_ms ?? lab.fcp_ms,
  ttfb_ms: field?.metrics.ttfb_ms ?? lab.ttfb_ms,
  cls: field?.metrics.cls ?? lab.cls
})

/** The source of a metric of `withField`; null when it was not measured. */
export const sourceOf = (
  lab: VitalsMetrics,
  field: FieldData | null,
  metric: keyof VitalsMetrics
): MetricSource | null => {
  if (field !== null && field.metrics[metric] !== null) return `${field.scope}_field`
  return lab[metric] === null ? null : "lab"
}

const SourceOfMetric = Schema.NullOr(Schema.Literal("lab", "page_field", "origin_field")).annotations({
  description:
    "`lab`: Lighthouse lab data. `page_field`, `origin_field`: real users of the page, or of its whole origin"
})

/** The source of each metric of an audit; null when it was not measured. */
export const MetricSources = Schema.Struct({
  lcp_ms: SourceOfMetric,
  inp_ms: SourceOfMetric,
  fcp_ms: SourceOfMetric,
  ttfb_ms: SourceOfMetric,
  cls: SourceOfMetric
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

/** The four category scores of Lighthouse. */
export const Scores = Schema.Struct({
  performance: ScorePoints.annotations({ description: "Performance, 0 to 100" }),
  seo: ScorePoints.annotations({ description: "Search engine optimisation, 0 to 100" }),
  accessibility: ScorePoints.annotations({ description: "Accessibility, 0 to 100" }),
  best_practices: ScorePoints.annotations({ description: "Best practices, 0 to 100" })
}).annotations({ identifier: "AuditScores", description: "The four category scores of Lighthouse, each 0 to 100" })
export type Scores = typeof Scores.Type

/** Counts of critical failures, other failures and passes, without checks that do not apply or could not run. */
export const FindingsSummary = Schema.Struct({
  critical: Schema.NonNegativeInt.annotations({ description: "Critical failures" }),
  warning: Schema.NonNegativeInt.annotations({ description: "Other failures" }),
  passed: Schema.NonNegativeInt.annotations({ description: "Checks that passed" })
}).annotations({
  identifier: "FindingsSummary",
  description: "Number of checks; checks that do not apply are not counted"
})
export type FindingsSummary = typeof FindingsSummary.Type

/** The content of an audit before it is recorded, without an id. */
export const AuditReport = Schema.Struct({
  url: Schema.String.annotations({ description: "Audited URL" }),
  overall_score: ScorePoints.annotations({ description: "Mean of the category scores in whole points, 0 to 100" }),
  scores: field(Scores, "The category scores"),
  core_web_vitals: field(CoreWebVitals, "Core Web Vitals of the page"),
  findings_summary: field(FindingsSummary, "Number of failed and passed checks")
})
export type AuditReport = typeof AuditReport.Type

const measuredAt = field(
  Timestamp,
  "When the page was measured, from the report; otherwise when the audit was recorded"
)

/** A completed audit of the API. */
export const Audit = Schema.Struct({
  id: AuditId.annotations({ description: "UUID of the audit" }),
  status: Schema.Literal("completed").annotations({
    description: "Always `completed`: failed audits are only in the list"
  }),
  ...AuditReport.fields,
  core_web_vitals: field(
    Schema.Struct({
      ...CoreWebVitals.fields,
      sources: field(MetricSources, "Where each value was measured")
    }).annotations({
      identifier: "CoreWebVitals",
      description: "Core Web Vitals of one page"
    }),
    "Core Web Vitals of the page"
  ),
  spread: Schema.NullOr(Spread).annotations({
    description:
      "Lowest and highest values of the Lighthouse runs, when the audit is the median of several; otherwise null"
  }),
  measured_at: measuredAt,
  created_at: field(Timestamp, "When it was recorded")
}).annotations({ identifier: "Audit", description: "A completed audit of one page" })
export type Audit = typeof Audit.Type

/** URL of a page to audit: absolute, http or https, without credentials, at most 2,048 characters. */
export const PageAddress = Schema.String.pipe(
  Schema.maxLength(2048),
  Schema.filter((text) => isWebAddress(text) || "must be an absolute http or https URL"),
  Schema.filter((text) => Option.isSome(webUrl(text)) || "must be an absolute http or https URL without credentials"),
  Schema.filter(portProblem),
  Schema.filter(hostProblem),
  Schema.annotations({ identifier: "PageAddress", jsonSchema: { format: "uri", maxLength: 2048 } })
)

/** A field of similar services' clients: accepted with any value, without effect. */
const ignored = Schema.optionalWith(Schema.Unknown.annotations({ jsonSchema: { type: "boolean" } }), {
  exact: true
}).annotations({ description: "Accepted and ignored" })

/** Body of `POST /audits`. */
export const CreateAudit = Schema.Struct({
  url: field(PageAddress, "Page to audit: absolute, http or https, without credentials, at most 2,048 characters"),
  device: Schema.optionalWith(
    Device.annotations({ message: () => ({ message: "must be mobile or desktop", override: true }) }),
    { exact: true }
  ).annotations({ description: "Device that the audit simulates" }),
  generate_fix_packs: ignored,
  verify_ssl: ignored
}).annotations({ identifier: "CreateAudit", description: "The page to audit" })

/** The importance of a finding; `info` is advice without a verdict. */
export const Severity = Schema.Literal("critical", "warning", "info").annotations({
  identifier: "FixSeverity",
  description: "Severity of the issue; `info` is advice"
})
export type Severity = typeof Severity.Type

/** `fix_` and the Lighthouse audit id: a finding keeps its id in all audits of a page. */
export const FixDirectiveId = Schema.String.pipe(
  Schema.pattern(/^fix_[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/),
  Schema.brand("FixDirectiveId"),
  Schema.annotations({ identifier: "FixDirectiveId", description: "`fix_` and the id of a check" })
)
export type FixDirectiveId = typeof FixDirectiveId.Type

/** A fix for people (`human_summary`, `why_it_matters`: no page data) and for a coding agent (`agent_prompt`). */
export const FixDirective = Schema.Struct({
  id: field(FixDirectiveId, "`fix_` and the id of the failing check; the same in every audit of a page"),
  category: field(Category, "Category of the failing check"),
  severity: field(Severity, "Severity"),
  human_summary: Schema.String.annotations({
    description: "What is wrong, in one sentence"
  }),
  why_it_matters: Schema.String.annotations({ description: "Why it matters for visitors or rankings" }),
  agent_prompt: Schema.String.annotations({
    description:
      "Instruction for a coding agent: goal, evidence marked as data from the page, steps, limits, and when the work is done"
  })
}).annotations({ identifier: "FixDirective", description: "What to fix, for people and for a coding agent" })
export type FixDirective = typeof FixDirective.Type

/** The end of an audit. */
export const AuditStatus = Schema.Literal("completed", "failed").annotations({
  message: () => ({ message: "must be completed or failed", override: true })
})
export type AuditStatus = typeof AuditStatus.Type

const ListedVitals = Schema.Struct({
  status: field(VitalsStatus, "Core Web Vitals assessment of LCP, INP and CLS"),
  metrics: field(VitalsMetrics, "Measured values"),
  sources: field(MetricSources, "Where each value was measured")
}).annotations({ identifier: "ListedCoreWebVitals", description: "Core Web Vitals of one page, without diagnostics" })

/** An audit in a list, without diagnostics. */
export const ListedAudit = Schema.Struct({
  id: AuditId.annotations({ description: "UUID of the audit" }),
  status: AuditStatus.annotations({ description: "Status" }),
  url: Schema.String.annotations({ description: "Audited URL" }),
  device: Schema.NullOr(Device).annotations({ description: "Device; null when an imported report does not say" }),
  source: field(Source, "Source of the report"),
  overall_score: Schema.NullOr(ScorePoints).annotations({
    description: "Whole points, 0 to 100; null for a failed audit"
  }),
  scores: Schema.NullOr(Scores).annotations({ description: "The category scores; null for a failed audit" }),
  core_web_vitals: Schema.NullOr(ListedVitals).annotations({
    description: "Core Web Vitals of the page; null for a failed audit"
  }),
  findings_summary: Schema.NullOr(FindingsSummary).annotations({
    description: "Number of failed and passed checks; null for a failed audit"
  }),
  error: Schema.NullOr(AuditFailure).annotations({
    description: "Why a failed audit has no report; null for a completed one"
  }),
  measured_at: measuredAt,
  created_at: field(Timestamp, "When it was recorded")
}).annotations({ identifier: "ListedAudit", description: "An audit in a list, failed ones too, without diagnostics" })
export type ListedAudit = typeof ListedAudit.Type

/** A page on a device, with its audits. */
export const AuditedPage = Schema.Struct({
  url: Schema.String.annotations({ description: "Audited URL" }),
  device: Schema.NullOr(Device).annotations({ description: "Device; null when an imported report does not say" }),
  audits: Schema.Int.annotations({ description: "Number of audits, including failed ones" }),
  latest: field(ListedAudit, "The latest audit; it may have failed")
}).annotations({ identifier: "AuditedPage", description: "An audited page on one device" })
