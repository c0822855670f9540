import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Field.ts"
import { Timestamp } from "../../foundation/schema/Timestamp.ts"
import { CoreWebVitals } from "./CoreWebVitals.ts"
import { AuditId, ScorePoints, Spread } from "./Domain.ts"
import { MetricSources } from "./MetricSources.ts"

/** The four category scores of Lighthouse. */
export const Scores = Schema.Struct({
  performance: ScorePoints.annotations({ description: "Performance, 0 to 100" }),
  seo: ScorePoints.annotations({ description: "Search engine optimisation, 0 to 100" }),
  accessibility: ScorePoints.annotations({ description: "Accessibility, 0 to 100" }),
  best_practices: ScorePoints.annotations({ description: "Best practices, 0 to 100" })
}).annotations({ identifier: "AuditScores", description: "The four category scores of Lighthouse, each 0 to 100" })
export type Scores = typeof Scores.Type

/** Counts of critical failures, other failures and passes; checks that do not apply or could not run are not counted. */
export const FindingsSummary = Schema.Struct({
  critical: Schema.NonNegativeInt.annotations({ description: "Critical failures" }),
  warning: Schema.NonNegativeInt.annotations({ description: "Other failures" }),
  passed: Schema.NonNegativeInt.annotations({ description: "Checks that passed" })
}).annotations({
  identifier: "FindingsSummary",
  description: "Checks of an audit; those that do not apply or could not run are not counted"
})
export type FindingsSummary = typeof FindingsSummary.Type

/** The content of an audit before it is recorded, without an id. */
export const AuditReport = Schema.Struct({
  url: Schema.String.annotations({ description: "Address that was audited" }),
  overall_score: ScorePoints.annotations({ description: "Mean of the category scores in whole points, 0 to 100" }),
  scores: field(Scores, "The category scores"),
  core_web_vitals: field(CoreWebVitals, "Core Web Vitals of the page"),
  findings_summary: field(FindingsSummary, "How many checks failed and passed")
})
export type AuditReport = typeof AuditReport.Type

/** A completed audit as the API shows it; `created_at` is the time of recording, UTC. */
export const Audit = Schema.Struct({
  id: AuditId.annotations({ description: "UUID of the audit" }),
  status: Schema.Literal("completed").annotations({
    description: "Always `completed`: failed audits are in the list alone"
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
    description: "Lowest and highest values of the runs whose median this audit is; null for a single run"
  }),
  created_at: field(Timestamp, "When it was recorded")
}).annotations({ identifier: "Audit", description: "A completed audit of one page" })
export type Audit = typeof Audit.Type
