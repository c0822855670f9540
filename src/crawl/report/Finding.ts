import * as Schema from "effect/Schema"
import { FaultPlace } from "./PagePlace.ts"

export const Severity = Schema.Literal("critical", "warning", "info")
export type Severity = typeof Severity.Type

export const Category = Schema.Literal(
  "availability",
  "redirects",
  "indexability",
  "canonicals",
  "content",
  "links",
  "sitemaps",
  "international",
  "structured_data",
  "security",
  "performance"
)
export type Category = typeof Category.Type

export const FindingStatus = Schema.Literal("pass", "fail", "not_assessed")
export type FindingStatus = typeof FindingStatus.Type

const optional = { exact: true } as const

/** What was seen on one URL, or on several that share its cause: then `url` is the first of them. Stored results of earlier versions have only `url` and `detail`. */
export const EvidenceItem = Schema.Struct({
  url: Schema.String,
  detail: Schema.String,
  /** The value that fails the rule, as the site writes it. */
  value: Schema.optionalWith(Schema.String, optional),
  /** The element that fails it as the page writes it, at most 300 characters. */
  markup: Schema.optionalWith(Schema.String.pipe(Schema.maxLength(300)), optional),
  place: Schema.optionalWith(FaultPlace, optional),
  /** Of a site-wide cause: how many pages share it, and five of them. */
  shared_by: Schema.optionalWith(Schema.Int, optional),
  sample: Schema.optionalWith(Schema.Array(Schema.String).pipe(Schema.maxItems(5)), optional)
})
export type EvidenceItem = typeof EvidenceItem.Type

/** The verdict of one rule on the site; all rules are reported, in the order of the catalogue. */
export const Finding = Schema.Struct({
  rule: Schema.String,
  category: Category,
  severity: Severity,
  status: FindingStatus,
  /** How many pages fail it (1 for a fault of the whole site); 0 unless the status is `fail`. */
  count: Schema.Int,
  /** All of them. */
  pages: Schema.Array(Schema.String),
  evidence: Schema.Struct({
    /** How many pages the rule looked at. */
    assessed: Schema.Int,
    /** Why the rule could not be assessed, or why more may fail it than `pages` names; null otherwise. */
    reason: Schema.NullOr(Schema.String),
    /** A line for each site-wide cause, then one for each of `pages` that has a fault of its own; of hundreds the later ones have no detail. */
    items: Schema.Array(EvidenceItem)
  })
})
export type Finding = typeof Finding.Type
