import * as Schema from "effect/Schema"
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

/** An audit in a list, without diagnostics. */
export const ListedAudit = Schema.Struct({
  id: AuditId,
  status: AuditStatus,
  url: Schema.String,
  device: Schema.NullOr(Device),
  source: Source,
  overall_score: Schema.NullOr(ScorePoints),
  scores: Schema.NullOr(Scores),
  core_web_vitals: Schema.NullOr(
    Schema.Struct({ status: VitalsStatus, metrics: VitalsMetrics, sources: MetricSources })
  ),
  findings_summary: Schema.NullOr(FindingsSummary),
  error: Schema.NullOr(AuditFailure).annotations({ description: "why a failed audit has no report" }),
  created_at: Timestamp
}).annotations({ identifier: "ListedAudit" })
export type ListedAudit = typeof ListedAudit.Type
