import * as Schema from "effect/Schema"
import { Uuid } from "../../foundation/schema/Scalars.ts"

/** Identifier of an audit. */
export const AuditId = Uuid.pipe(Schema.brand("AuditId"))
export type AuditId = typeof AuditId.Type

/** The form factor that a page is audited as. */
export const Device = Schema.Literal("mobile", "desktop").annotations({ identifier: "AuditDevice" })
export type Device = typeof Device.Type

/** What runs an audit: Lighthouse on this installation's Chromium, or PageSpeed Insights on Google's machines. */
export const Auditing = Schema.Literal("lighthouse", "psi").annotations({ identifier: "Auditing" })
export type Auditing = typeof Auditing.Type

/** Where an audit comes from: one of the above, or an imported report. */
export const Source = Schema.Literal(...Auditing.literals, "import").annotations({ identifier: "AuditSource" })
export type Source = typeof Source.Type

/** The four Lighthouse categories that an audit reports, in the spelling of this API. */
export const Category = Schema.Literal("performance", "seo", "accessibility", "best_practices").annotations({
  identifier: "AuditCategory"
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

const Range = <A, I>(value: Schema.Schema<A, I>) => Schema.NullOr(Schema.Struct({ lowest: value, highest: value }))

const Measured = Range(Schema.NonNegative)

/** Lowest and highest values of the runs behind an audit; null for a metric that no run measured. */
export const Spread = Schema.Struct({
  runs: Schema.Int,
  performance: Range(ScorePoints),
  lcp_ms: Measured,
  fcp_ms: Measured,
  ttfb_ms: Measured,
  cls: Measured
}).annotations({ identifier: "AuditSpread" })
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
).annotations({ identifier: "AuditFailureCode" })
export type AuditFailureCode = typeof AuditFailureCode.Type

/** A failed audit: `message` is written by Findable, `lighthouse_code` is the producer's code if it gave one. */
export const AuditFailure = Schema.Struct({
  code: AuditFailureCode,
  message: Schema.String,
  lighthouse_code: Schema.NullOr(Schema.String)
}).annotations({ identifier: "AuditFailure" })
export type AuditFailure = typeof AuditFailure.Type
