import * as Schema from "effect/Schema"
import { Timestamp } from "../../foundation/schema/Timestamp.ts"
import { CoreWebVitals } from "./CoreWebVitals.ts"
import { AuditId, ScorePoints, Spread } from "./Domain.ts"
import { MetricSources } from "./MetricSources.ts"

/** The four category scores of Lighthouse. */
export const Scores = Schema.Struct({
  performance: ScorePoints,
  seo: ScorePoints,
  accessibility: ScorePoints,
  best_practices: ScorePoints
}).annotations({ identifier: "AuditScores" })
export type Scores = typeof Scores.Type

/** Counts of critical failures, other failures and passes; checks that do not apply or could not run are not counted. */
export const FindingsSummary = Schema.Struct({
  critical: Schema.NonNegativeInt,
  warning: Schema.NonNegativeInt,
  passed: Schema.NonNegativeInt
}).annotations({ identifier: "FindingsSummary" })
export type FindingsSummary = typeof FindingsSummary.Type

/** The content of an audit before it is recorded, without an id. */
export const AuditReport = Schema.Struct({
  url: Schema.String,
  overall_score: ScorePoints,
  scores: Scores,
  core_web_vitals: CoreWebVitals,
  findings_summary: FindingsSummary
})
export type AuditReport = typeof AuditReport.Type

/** A completed audit as the API shows it; `created_at` is the time of recording, UTC. */
export const Audit = Schema.Struct({
  id: AuditId,
  status: Schema.Literal("completed"),
  ...AuditReport.fields,
  core_web_vitals: Schema.Struct({ ...CoreWebVitals.fields, sources: MetricSources }).annotations({
    identifier: "CoreWebVitals"
  }),
  spread: Schema.NullOr(Spread).annotations({
    description: "lowest and highest values of the runs whose median this audit is; null for a single run"
  }),
  created_at: Timestamp
}).annotations({ identifier: "Audit" })
export type Audit = typeof Audit.Type
