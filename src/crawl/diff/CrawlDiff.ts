import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Scalars.ts"
import { Category, Severity } from "../report/Finding.ts"
import { HealthReason, HealthState, IndexabilityState } from "../report/MeasuredPage.ts"

/**
 * Why a fault that only one of two runs names is neither new nor fixed: what the other run knows does not settle it.
 *
 * - `not_reached`: it saw the whole site and did not meet the URL.
 * - `limit_reached`: a limit ended it before it had seen what the rule needs.
 * - `unverified`: what the rule needs did not answer.
 * - `rule_not_assessed`: it did not look at the URL with this rule.
 * - `options_differ`: it started elsewhere, did not check links, or left out other addresses.
 * - `not_recorded`: it was stored before results kept every URL.
 */
export const Cause = Schema.Literal(
  "not_reached",
  "rule_not_assessed",
  "limit_reached",
  "unverified",
  "options_differ",
  "not_recorded"
).annotations({
  identifier: "DiffCause",
  description:
    "What the other run knows of it: `not_reached` (saw the whole site without the URL), `limit_reached`, `unverified` (no answer), `rule_not_assessed`, `options_differ`, `not_recorded` (stored by another version)"
})
export type Cause = typeof Cause.Type

/** Which of the two runs names the fault. */
export const Side = Schema.Literal("before", "after").annotations({
  identifier: "DiffSide",
  description: "`before`: the earlier run; `after`: the later one"
})
export type Side = typeof Side.Type

/** One rule failing on one URL; a rule about the whole site names the start page. */
export const FindingUnit = Schema.Struct({
  rule: Schema.String.annotations({ description: "Id of the rule" }),
  category: field(Category, "Subject of the rule"),
  severity: field(Severity, "What it costs"),
  url: Schema.String.annotations({ description: "URL at fault; of a rule about the whole site the start page" }),
  detail: Schema.String.annotations({ description: "What is wrong there, in words; may be empty" })
}).annotations({ identifier: "FindingUnit", description: "One rule that fails on one URL" })
export type FindingUnit = typeof FindingUnit.Type

/** One dead target linked from one page. */
export const DeadLinkUnit = Schema.Struct({
  url: Schema.String.annotations({ description: "Address that is dead" }),
  linked_from: Schema.String.annotations({ description: "Page that links to it" }),
  http_status: Schema.Int.annotations({ description: "Status that was confirmed" })
}).annotations({ identifier: "DeadLinkUnit", description: "One dead address that one page links to" })
export type DeadLinkUnit = typeof DeadLinkUnit.Type

const open = {
  cause: field(Cause, "Why it is neither new nor fixed"),
  found_in: field(Side, "Which of the two runs names it")
}

const OpenFinding = Schema.Struct({ ...FindingUnit.fields, ...open }).annotations({
  identifier: "OpenFindingUnit",
  description: "A fault that one run names and the other cannot settle"
})

const OpenDeadLink = Schema.Struct({ ...DeadLinkUnit.fields, ...open }).annotations({
  identifier: "OpenDeadLinkUnit",
  description: "A dead link that one run names and the other cannot settle"
})

/** What a page was in one run. */
export const PageState = Schema.Struct({
  http_status: Schema.NullOr(Schema.Int).annotations({ description: "Status of its answer; null when none came" }),
  health_state: field(HealthState, "The one verdict on the URL"),
  health_reason: field(HealthReason, "Why it has this verdict"),
  indexability_state: field(IndexabilityState, "Whether a search engine may index it"),
  title: Schema.NullOr(Schema.String).annotations({ description: "Text of the title; null when there is none" }),
  canonical_url: Schema.NullOr(Schema.String).annotations({
    description: "Absolute URL of its canonical link; null when it names none"
  }),
  redirect_to: Schema.NullOr(Schema.String).annotations({ description: "Where it redirects to; null when it does not" })
}).annotations({ identifier: "PageState", description: "What a page was in one run" })
export type PageState = typeof PageState.Type

/** A page that differs; null where a run that saw the whole site did not meet it. */
export const PageChange = Schema.Struct({
  url: Schema.String.annotations({ description: "Absolute URL without fragment" }),
  before: Schema.NullOr(PageState).annotations({
    description: "In the earlier run; null where that run saw the whole site without it"
  }),
  after: Schema.NullOr(PageState).annotations({
    description: "In the later run; null where that run saw the whole site without it"
  })
}).annotations({ identifier: "PageChange", description: "A page that differs between two runs" })
export type PageChange = typeof PageChange.Type

/** What changed between two results of one site. Every fault that either names is in exactly one of four lists. */
export const CrawlDiff = Schema.Struct({
  score: Schema.NullOr(
    Schema.Struct({
      before: Schema.Int.annotations({ description: "Points of the earlier run, 0 to 100" }),
      after: Schema.Int.annotations({ description: "Points of the later run, 0 to 100" }),
      delta: Schema.Int.annotations({ description: "`after` − `before`" })
    }).annotations({ identifier: "ScoreChange", description: "Change of a score" })
  ).annotations({ description: "Change of the score; null when a run has none, or they have different versions" }),
  findings: field(
    Schema.Struct({
      new: Schema.Array(FindingUnit).annotations({
        description: "Faults that the later run names, and that the earlier one looked for and did not find"
      }),
      fixed: Schema.Array(FindingUnit).annotations({
        description: "Faults that the earlier run names, and that the later one looked for and did not find"
      }),
      persisting: Schema.Array(FindingUnit).annotations({ description: "Faults that both runs name" }),
      not_comparable: Schema.Array(OpenFinding).annotations({
        description: "Faults that one run names and the other cannot settle"
      })
    }).annotations({ identifier: "FindingChanges", description: "Faults of two runs, each in one of four lists" }),
    "Every fault that either run names, in exactly one of four lists"
  ),
  pages: field(
    Schema.Struct({
      added: Schema.Array(PageChange).annotations({ description: "Pages that only the later run met" }),
      removed: Schema.Array(PageChange).annotations({ description: "Pages that only the earlier run met" }),
      changed: Schema.Array(PageChange).annotations({ description: "Pages whose state differs" })
    }).annotations({ identifier: "PageChanges", description: "Pages that came, went or changed" }),
    "Pages that came, went or changed; one without a settled verdict in either run is left out"
  ),
  dead_links: field(
    Schema.Struct({
      new: Schema.Array(DeadLinkUnit).annotations({
        description: "Dead links that the later run names, and that the earlier one looked for and did not find"
      }),
      fixed: Schema.Array(DeadLinkUnit).annotations({
        description: "Dead links that the earlier run names, and that the later one looked for and did not find"
      }),
      persisting: Schema.Array(DeadLinkUnit).annotations({ description: "Dead links that both runs name" }),
      not_comparable: Schema.Array(OpenDeadLink).annotations({
        description: "Dead links that one run names and the other cannot settle"
      })
    }).annotations({ identifier: "DeadLinkChanges", description: "Dead links of two runs, each in one of four lists" }),
    "Every dead link that either run names, in exactly one of four lists"
  )
}).annotations({ identifier: "SiteHealthDiff" })
export type CrawlDiff = typeof CrawlDiff.Type
