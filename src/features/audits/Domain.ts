import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Field.ts"
import { Uuid } from "../../foundation/schema/Scalars.ts"

/** Identifier of an audit. */
export const AuditId = Uuid.pipe(Schema.brand("AuditId"))
export type AuditId = typeof AuditId.Type

/** The form factor that a page is audited as. */
export const Device = Schema.Literal("mobile", "desktop").annotations({
  identifier: "AuditDevice",
  description: "Form factor that a page is audited as"
})
export type Device = typeof Device.Type

/** What runs an audit: Lighthouse on this installation's Chromium, or PageSpeed Insights on Google's machines. */
export const Auditing = Schema.Literal("lighthouse", "psi").annotations({
  identifier: "Auditing",
  description:
    "`lighthouse`: on this installation's Chromium; `psi`: PageSpeed Insights, on Google's machines, with field data"
})
export type Auditing = typeof Auditing.Type

/** Where an audit comes from: one of the above, or an imported report. */
export const Source = Schema.Literal(...Auditing.literals, "import").annotations({
  identifier: "AuditSource",
  description: "What made the report; `import`: made elsewhere and imported"
})
export type Source = typeof Source.Type

/** The four Lighthouse categories that an audit reports, in the spelling of this API. */
export const Category = Schema.Literal("performance", "seo", "accessibility", "best_practices").annotations({
  identifier: "AuditCategory",
  description: "Category of Lighthouse"
})
export type Category = typeof Category.Type

/** Lighthouse's own key of each category, in the order in which the categories are read. */
export const lighthouseKey = {
  performance: "performance",
  accessibility: "accessibility",
  best_practices: "best-practices",
  seo: "seo"
} as const satisfies Record<Category, string>

/** The categories in the order in which they are read; of two equal findings the earlier category owns it. */
export const categories: ReadonlyArray<Category> = ["performance", "accessibility", "best_practices", "seo"]

/** Whole points from 0 to 100. */
export const ScorePoints = Schema.Int.pipe(Schema.between(0, 100)).annotations({ identifier: "ScorePoints" })

const Range = <A, I>(identifier: string, value: Schema.Schema<A, I>) =>
  Schema.NullOr(
    Schema.Struct({
      lowest: field(value, "Lowest of the runs"),
      highest: field(value, "Highest of the runs")
    }).annotations({ identifier, description: "Lowest and highest value of several runs" })
  )

const Measured = Range("MetricRange", Schema.NonNegative)

/** Lowest and highest values of the runs behind an audit; null for a metric that no run measured. */
export const Spread = Schema.Struct({
  runs: Schema.Int.annotations({ description: "Runs of Lighthouse" }),
  performance: Range("ScoreRange", ScorePoints).annotations({
    description: "Performance scores, 0 to 100; null when no run has one"
  }),
  lcp_ms: Measured.annotations({
    description: "Largest Contentful Paint in milliseconds; null when no run measured it"
  }),
  fcp_ms: Measured.annotations({ description: "First Contentful Paint in milliseconds; null when no run measured it" }),
  ttfb_ms: Measured.annotations({ description: "Time to first byte in milliseconds; null when no run measured it" }),
  cls: Measured.annotations({ description: "Cumulative Layout Shift, without unit; null when no run measured it" })
}).annotations({
  identifier: "AuditSpread",
  description: "Lowest and highest values of the runs whose median an audit is"
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
  message: Schema.String.annotations({ description: "The same in one sentence, for people" }),
  lighthouse_code: Schema.NullOr(Schema.String).annotations({
    description: "Code that Lighthouse or PageSpeed Insights gave; null when it gave none"
  })
}).annotations({ identifier: "AuditFailure", description: "A failed audit" })
export type AuditFailure = typeof AuditFailure.Type
