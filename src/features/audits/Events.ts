import * as Schema from "effect/Schema"
import { CrawlOutcome } from "../../crawl/report/CrawlResult.ts"
import { field, NonEmptyText, Uuid, WebAddress } from "../../foundation/schema/Scalars.ts"
import * as EventKind from "../events/EventKind.ts"
import { ProjectId } from "../projects/Domain.ts"
import { AuditFailure, AuditId, FindingsSummary, ScorePoints, Scores } from "./Domain.ts"

const project_id = Schema.optionalWith(ProjectId, { exact: true }).annotations({
  description: "The site, where there is one"
})

const audit = {
  subject: Schema.Literal("audit").annotations({ description: "`id` is a page audit" }),
  id: AuditId.annotations({ description: "UUID of the audit" }),
  url: WebAddress.annotations({ description: "The audited page" }),
  project_id
}

const siteHealthRun = {
  subject: Schema.Literal("site_health_run").annotations({ description: "`id` is a crawl" }),
  id: Uuid.annotations({ description: "UUID of the crawl" }),
  url: WebAddress.annotations({ description: "Start URL of the crawl" }),
  project_id
}

/** Changes since the previous crawl. */
export const Changes = Schema.Struct({
  against: Uuid.annotations({ description: "Previous crawl with the same start URL" }),
  new: Schema.NonNegativeInt.annotations({ description: "New issues, counted per URL" }),
  fixed: Schema.NonNegativeInt.annotations({ description: "Fixed issues, counted per URL" }),
  score_delta: Schema.NullOr(Schema.Number).annotations({ description: "Null when the scores cannot be compared" })
}).annotations({ identifier: "SiteHealthChanges", description: "Changes since the previous crawl" })
export type Changes = typeof Changes.Type

const RunOutcome = Schema.Struct({
  ...CrawlOutcome.fields,
  changes: Schema.NullOr(Changes).annotations({ description: "Null without a previous crawl to compare with" })
}).annotations({ identifier: "SiteHealthOutcome", description: "Summary of a finished crawl" })

const AuditOutcome = Schema.Struct({
  status: Schema.Literal("completed").annotations({ description: "Always `completed`" }),
  overall_score: ScorePoints.annotations({ description: "Whole points, 0 to 100" }),
  scores: field(Scores, "The category scores"),
  findings_summary: field(FindingsSummary, "Number of failed and passed checks")
}).annotations({ identifier: "AuditOutcome", description: "Scores of a completed audit" })

const failed = <Error extends Schema.Schema.Any>(identifier: string, error: Error) =>
  Schema.Struct({
    status: Schema.Literal("failed").annotations({ description: "Always `failed`" }),
    error: field(error, "Why it failed")
  }).annotations({ identifier, description: "Why it failed" })

/** Why a crawl failed, in its events. */
export const RunFailure = Schema.Struct({
  code: NonEmptyText.annotations({ description: "Error code of the crawl, such as `start_unreachable`" }),
  message: NonEmptyText.annotations({ description: "One sentence for people: what happened, why, and what to do" })
}).annotations({ identifier: "SiteHealthFailure", description: "Why a crawl failed" })

/** A page audit or a site health crawl finished. */
export const auditCompleted = EventKind.make({
  type: "audit.completed",
  description: "A crawl of a site finished, completely or partially, or a page audit finished.",
  data: Schema.Union(
    Schema.Struct({ ...audit, outcome: field(AuditOutcome, "Scores of the audit") }).annotations({
      identifier: "CompletedAudit",
      description: "A completed page audit"
    }),
    Schema.Struct({ ...siteHealthRun, outcome: field(RunOutcome, "Summary of the result") }).annotations({
      identifier: "CompletedSiteHealthRun",
      description: "A finished crawl"
    })
  ),
  example: {
    subject: "site_health_run",
    id: "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11",
    url: "https://www.example.com/",
    project_id: "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21",
    outcome: {
      status: "partial",
      termination: "max-pages",
      aggregate_score: 87.5,
      findings: { critical: 1, warning: 4, info: 3 },
      pages_fetched: 50,
      pages_failed: 1,
      dead_links_found: 2,
      changes: { against: "0192e8a1-0c1f-7d52-8a3b-9f1c2d3e4f50", new: 1, fixed: 3, score_delta: 4 }
    }
  }
})

/** A page audit or a site health crawl ended without a result. */
export const auditFailed = EventKind.make({
  type: "audit.failed",
  description: "A crawl or a page audit failed, for example because DNS lookup found no address for the host.",
  data: Schema.Union(
    Schema.Struct({
      ...audit,
      outcome: field(failed("FailedAuditOutcome", AuditFailure), "Why the audit failed")
    }).annotations({ identifier: "FailedAudit", description: "A failed page audit" }),
    Schema.Struct({
      ...siteHealthRun,
      outcome: field(failed("FailedSiteHealthOutcome", RunFailure), "Why the crawl failed")
    }).annotations({ identifier: "FailedSiteHealthRun", description: "A failed crawl" })
  ),
  example: {
    subject: "audit",
    id: "01937f4e-2b6d-7a10-8c55-3f0e9d2b7a41",
    url: "https://www.example.com/pricing",
    outcome: {
      status: "failed",
      error: {
        code: "dns_failure",
        message: "DNS lookup found no address for www.example.com.",
        lighthouse_code: null
      }
    }
  }
})
