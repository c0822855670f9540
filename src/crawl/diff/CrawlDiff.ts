import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Scalars.ts"
import { Category, Severity } from "../report/Finding.ts"
import { HealthReason, HealthState, IndexabilityState } from "../report/MeasuredPage.ts"

/**
 * Why an issue of only one crawl is neither new nor fixed: the other crawl does not decide it.
 *
 * - `not_reached`: it saw the whole site and did not meet the URL.
 * - `limit_reached`: a limit ended it too early for the check.
 * - `unverified`: a URL that the check needs did not answer.
 * - `rule_not_assessed`: it did not apply the check to the URL.
 * - `options_differ`: it started elsewhere, did not check links, left out other URLs, or alone ran no scripts.
 * - `browser_differs`: another version of the browser rendered the page, which its scripts change.
 * - `not_recorded`: it was stored before results kept every URL.
 */
export const Cause = Schema.Literal(
  "not_reached",
  "rule_not_assessed",
  "limit_reached",
  "unverified",
  "options_differ",
  "browser_differs",
  "not_recorded"
).annotations({
  identifier: "DiffCause",
  description:
    "What the other crawl knows: `not_reached` (covered the whole site without the URL), `limit_reached`, `unverified` (no response), `rule_not_assessed` (not checked), `options_differ`, `browser_differs` (another version of the browser rendered the page), `not_recorded` (stored by another version)"
})
export type Cause = typeof Cause.Type

/** The crawl that has the issue. */
export const Side = Schema.Literal("before", "after").annotations({
  identifier: "DiffSide",
  description: "`before`: the earlier crawl; `after`: the later one"
})
export type Side = typeof Side.Type

/** One check that fails on one URL; a check of the whole site names the start page. */
export const FindingUnit = Schema.Struct({
  rule: Schema.String.annotations({ description: "Id of the check" }),
  category: field(Category, "Category of the check"),
  severity: field(Severity, "Severity of the issue"),
  url: Schema.String.annotations({ description: "Affected URL; the start page for an issue of the whole site" }),
  detail: Schema.String.annotations({ description: "What is wrong there; may be empty" })
}).annotations({ identifier: "FindingUnit", description: "One issue on one URL" })
export type FindingUnit = typeof FindingUnit.Type

/** One broken link target with one page that links to it. */
export const DeadLinkUnit = Schema.Struct({
  url: Schema.String.annotations({ description: "Broken URL" }),
  linked_from: Schema.String.annotations({ description: "Page that links to it" }),
  http_status: Schema.Int.annotations({ description: "Confirmed status" })
}).annotations({ identifier: "DeadLinkUnit", description: "One broken URL that one page links to" })
export type DeadLinkUnit = typeof DeadLinkUnit.Type

const open = {
  cause: field(Cause, "Why it is neither new nor fixed"),
  found_in: field(Side, "Which of the two crawls found it")
}

const OpenFinding = Schema.Struct({ ...FindingUnit.fields, ...open }).annotations({
  identifier: "OpenFindingUnit",
  description: "An issue of one crawl that the other crawl could not check"
})

const OpenDeadLink = Schema.Struct({ ...DeadLinkUnit.fields, ...open }).annotations({
  identifier: "OpenDeadLinkUnit",
  description: "A broken link of one crawl that the other crawl could not check"
})

/** A page in one crawl. */
export const PageState = Schema.Struct({
  http_status: Schema.NullOr(Schema.Int).annotations({ description: "Status of its response; null without one" }),
  health_state: field(HealthState, "Status of the URL"),
  health_reason: field(HealthReason, "Reason for this status"),
  indexability_state: field(IndexabilityState, "Whether a search engine may index it"),
  title: Schema.NullOr(Schema.String).annotations({ description: "Text of the title; null without one" }),
  canonical_url: Schema.NullOr(Schema.String).annotations({
    description: "Absolute URL of its canonical; null without one"
  }),
  redirect_to: Schema.NullOr(Schema.String).annotations({
    description: "Redirect target; null if it does not redirect"
  })
}).annotations({ identifier: "PageState", description: "State of a page in one crawl" })
export type PageState = typeof PageState.Type

/** A changed page; null where a crawl of the whole site did not meet it. */
export const PageChange = Schema.Struct({
  url: Schema.String.annotations({ description: "Absolute URL without fragment" }),
  before: Schema.NullOr(PageState).annotations({
    description: "In the earlier crawl; null if that crawl covered the whole site without it"
  }),
  after: Schema.NullOr(PageState).annotations({
    description: "In the later crawl; null if that crawl covered the whole site without it"
  })
}).annotations({ identifier: "PageChange", description: "A page that differs between two crawls" })
export type PageChange = typeof PageChange.Type

/** Differences between two results of one site. Every issue of either result is in exactly one of four lists. */
export const CrawlDiff = Schema.Struct({
  score: Schema.NullOr(
    Schema.Struct({
      before: Schema.Int.annotations({ description: "Points of the earlier crawl, 0 to 100" }),
      after: Schema.Int.annotations({ description: "Points of the later crawl, 0 to 100" }),
      delta: Schema.Int.annotations({ description: "`after` − `before`" })
    }).annotations({ identifier: "ScoreChange", description: "Change of a score" })
  ).annotations({
    description: "Change of the score; null if a crawl has none, or the scores have different versions"
  }),
  findings: field(
    Schema.Struct({
      new: Schema.Array(FindingUnit).annotations({
        description: "Issues of the later crawl that the earlier one checked and did not find"
      }),
      fixed: Schema.Array(FindingUnit).annotations({
        description: "Issues of the earlier crawl that the later one checked and did not find"
      }),
      persisting: Schema.Array(FindingUnit).annotations({ description: "Issues of both crawls" }),
      not_comparable: Schema.Array(OpenFinding).annotations({
        description: "Issues of one crawl that the other crawl could not check"
      })
    }).annotations({ identifier: "FindingChanges", description: "Issues of two crawls, each in one of four lists" }),
    "Every issue of either crawl, in exactly one of four lists"
  ),
  pages: field(
    Schema.Struct({
      added: Schema.Array(PageChange).annotations({ description: "Pages found only by the later crawl" }),
      removed: Schema.Array(PageChange).annotations({ description: "Pages found only by the earlier crawl" }),
      changed: Schema.Array(PageChange).annotations({ description: "Pages whose state differs" })
    }).annotations({ identifier: "PageChanges", description: "Pages added, removed or changed" }),
    "Pages added, removed or changed, without those that a crawl could not verify"
  ),
  dead_links: field(
    Schema.Struct({
      new: Schema.Array(DeadLinkUnit).annotations({
        description: "Broken links of the later crawl that the earlier one checked and did not find"
      }),
      fixed: Schema.Array(DeadLinkUnit).annotations({
        description: "Broken links of the earlier crawl that the later one checked and did not find"
      }),
      persisting: Schema.Array(DeadLinkUnit).annotations({ description: "Broken links of both crawls" }),
      not_comparable: Schema.Array(OpenDeadLink).annotations({
        description: "Broken links of one crawl that the other crawl could not check"
      })
    }).annotations({
      identifier: "DeadLinkChanges",
      description: "Broken links of two crawls, each in one of four lists"
    }),
    "Every broken link of either crawl, in exactly one of four lists"
  )
}).annotations({ identifier: "SiteHealthDiff" })
export type CrawlDiff = typeof CrawlDiff.Type
