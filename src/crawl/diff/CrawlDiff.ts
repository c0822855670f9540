import * as Schema from "effect/Schema"
import { Category, Severity } from "../report/Finding.ts"
import { HealthReason, HealthState, IndexabilityState } from "../report/States.ts"

/**
 * Why a fault that only one of two runs names is neither new nor fixed: what the other run knows does not settle it.
 *
 * - `not_reached`: it saw the whole site and did not meet the URL.
 * - `limit_reached`: a limit ended it before it had seen what the rule needs.
 * - `unverified`: what the rule needs did not answer.
 * - `rule_not_assessed`: it did not look at the URL with this rule.
 * - `options_differ`: it started elsewhere, or did not check links.
 * - `not_recorded`: it was stored before results kept every URL.
 */
export const Cause = Schema.Literal(
  "not_reached",
  "rule_not_assessed",
  "limit_reached",
  "unverified",
  "options_differ",
  "not_recorded"
)
export type Cause = typeof Cause.Type

/** Which of the two runs names the fault. */
export const Side = Schema.Literal("before", "after")
export type Side = typeof Side.Type

/** One rule failing on one URL; a rule about the whole site names the start page. */
export const FindingUnit = Schema.Struct({
  rule: Schema.String,
  category: Category,
  severity: Severity,
  url: Schema.String,
  detail: Schema.String
})
export type FindingUnit = typeof FindingUnit.Type

/** One dead target linked from one page. */
export const DeadLinkUnit = Schema.Struct({
  url: Schema.String,
  linked_from: Schema.String,
  http_status: Schema.Int
})
export type DeadLinkUnit = typeof DeadLinkUnit.Type

const open = { cause: Cause, found_in: Side }

/** What a page was in one run. */
export const PageState = Schema.Struct({
  http_status: Schema.NullOr(Schema.Int),
  health_state: HealthState,
  health_reason: HealthReason,
  indexability_state: IndexabilityState,
  title: Schema.NullOr(Schema.String),
  canonical_url: Schema.NullOr(Schema.String),
  redirect_to: Schema.NullOr(Schema.String)
})
export type PageState = typeof PageState.Type

/** A page that differs; null where a run that saw the whole site did not meet it. */
export const PageChange = Schema.Struct({
  url: Schema.String,
  before: Schema.NullOr(PageState),
  after: Schema.NullOr(PageState)
})
export type PageChange = typeof PageChange.Type

/** What changed between two results of one site. Every fault that either names is in exactly one of four lists. */
export const CrawlDiff = Schema.Struct({
  /** Null when one of them has no score, or they have different versions of it. */
  score: Schema.NullOr(Schema.Struct({ before: Schema.Int, after: Schema.Int, delta: Schema.Int })),
  findings: Schema.Struct({
    new: Schema.Array(FindingUnit),
    fixed: Schema.Array(FindingUnit),
    persisting: Schema.Array(FindingUnit),
    not_comparable: Schema.Array(Schema.Struct({ ...FindingUnit.fields, ...open }))
  }),
  pages: Schema.Struct({
    added: Schema.Array(PageChange),
    removed: Schema.Array(PageChange),
    changed: Schema.Array(PageChange)
  }),
  dead_links: Schema.Struct({
    new: Schema.Array(DeadLinkUnit),
    fixed: Schema.Array(DeadLinkUnit),
    persisting: Schema.Array(DeadLinkUnit),
    not_comparable: Schema.Array(Schema.Struct({ ...DeadLinkUnit.fields, ...open }))
  })
}).annotations({ identifier: "SiteHealthDiff" })
export type CrawlDiff = typeof CrawlDiff.Type
