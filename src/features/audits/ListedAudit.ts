import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Field.ts"
import { Timestamp } from "../../foundation/schema/Timestamp.ts"
import { FindingsSummary, Scores } from "./Audit.ts"
import { VitalsMetrics, VitalsStatus } from "./CoreWebVitals.ts"
import { AuditFailure, AuditId, Device, ScorePoints, Source } from "./Domain.ts"
import { MetricSources } from "./MetricSources.ts"

/** How an audit ended. */
export const AuditStatus = Schema.Literal("completed", "failed").annotations({
  message: () => ({ message: "must be completed or failed", override: true })
})
export type AuditStatus = typeof AuditStatus.Type

const ListedVitals = Schema.Struct({
  status: field(VitalsStatus, "Verdict over LCP, INP and CLS"),
  metrics: field(VitalsMetrics, "Measured values"),
  sources: field(MetricSources, "Where each value was measured")
}).annotations({ identifier: "ListedCoreWebVitals", description: "Core Web Vitals of one page, without diagnostics" })

/** An audit in a list, without diagnostics. */
export const ListedAudit = Schema.Struct({
  id: AuditId.annotations({ description: "UUID of the audit" }),
  status: AuditStatus.annotations({ description: "How it ended" }),
  url: Schema.String.annotations({ description: "Address that was audited" }),
  device: Schema.NullOr(Device).annotations({ description: "Form factor; null when an imported report does not say" }),
  source: field(Source, "What made the report"),
  overall_score: Schema.NullOr(ScorePoints).annotations({
    description: "Whole points, 0 to 100; null for a failed audit"
  }),
  scores: Schema.NullOr(Scores).annotations({ description: "The category scores; null for a failed audit" }),
  core_web_vitals: Schema.NullOr(ListedVitals).annotations({
    description: "Core Web Vitals of the page; null for a failed audit"
  }),
  findings_summary: Schema.NullOr(FindingsSummary).annotations({
    description: "How many checks failed and passed; null for a failed audit"
  }),
  error: Schema.NullOr(AuditFailure).annotations({
    description: "Why a failed audit has no report; null for a completed one"
  }),
  created_at: field(Timestamp, "When it was recorded")
}).annotations({ identifier: "ListedAudit", description: "An audit in a list, failed ones too, without diagnostics" })
export type ListedAudit = typeof ListedAudit.Type

/** A page as seen on a device, with its audits. */
export const AuditedPage = Schema.Struct({
  url: Schema.String.annotations({ description: "Address that was audited" }),
  device: Schema.NullOr(Device).annotations({ description: "Form factor; null where imported reports do not say" }),
  audits: Schema.Int.annotations({ description: "Audits of it, failed ones too" }),
  latest: field(ListedAudit, "The newest of them, which may have failed")
}).annotations({ identifier: "AuditedPage", description: "A page as seen on a device, with its audits" })
