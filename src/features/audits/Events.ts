import * as Schema from "effect/Schema"
import { CrawlOutcome } from "../../crawl/report/CrawlResult.ts"
import { field, NonEmptyText, Uuid, WebAddress } from "../../foundation/schema/Scalars.ts"
import * as EventKind from "../events/EventKind.ts"
import { ProjectId } from "../projects/Domain.ts"
import { AuditFailure, AuditId, FindingsSummary, ScorePoints, Scores } from "./Domain.ts"

const project_id = Schema.optionalWith(ProjectId, { exact: true }).annotations({
  description: "The project, where there is one"
})

const audit = {
  subject: Schema.Literal("audit").annotations({ description: "`id` names an audit" }),
  id: AuditId.annotations({ description: "UUID of the audit" }),
  url: WebAddress.annotations({ description: "The audited page" }),
  project_id
}

const siteHealthRun = {
  subject: Schema.Literal("site_health_run").annotations({ description: "`id` names a site health run" }),
  id: Uuid.annotations({ description: "UUID of the run" }),
  url: WebAddress.annotations({ description: "Where the crawl started" }),
  project_id
}

/** What changed since the run before it. */
export const Changes = Schema.Struct({
  against: Uuid.annotations({ description: "The earlier run of the project from the same start URL" }),
  new: Schema.NonNegativeInt.annotations({ description: "Faults, a rule failing on a URL, that are new" }),
  fixed: Schema.NonNegativeInt.annotations({ description: "Faults of the earlier run that are repaired" }),
  score_delta: Schema.NullOr(Schema.Number).annotations({ description: "Null when the scores cannot be compared" })
}).annotations({ identifier: "SiteHealthChanges", description: "What changed since the run before it" })
export type Changes = typeof Changes.Type

const RunOutcome = Schema.Struct({
  ...CrawlOutcome.fields,
  changes: Schema.NullOr(Changes).annotations({ description: "Null when there is no earlier run to compare with" })
}).annotations({ identifier: "SiteHealthOutcome", description: "Short summary of a run that ended with a result" })

const AuditOutcome = Schema.Struct({
  status: Schema.Literal("completed").annotations({ description: "Always `completed`" }),
  overall_score: ScorePoints.annotations({ description: "Whole points, 0 to 100" }),
  scores: field(Scores, "The category scores"),
  findings_summary: field(FindingsSummary, "How many checks failed and passed")
}).annotations({ identifier: "AuditOutcome", description: "Scores of a completed audit" })

const failed = <Error extends Schema.Schema.Any>(identifier: string, error: Error) =>
  Schema.Struct({
    status: Schema.Literal("failed").annotations({ description: "Always `failed`" }),
    error: field(error, "Why there is no result")
  }).annotations({ identifier, description: "Why there is no result" })

/** Why a site health run failed, in its events. */
export const RunFailure = Schema.Struct({
  code: NonEmptyText.annotations({ description: "Code of the run's `error`, such as `start_unreachable`" }),
  message: NonEmptyText.annotations({ description: "The same in one sentence, for people" })
}).annotations({ identifier: "SiteHealthFailure", description: "Why a run failed" })

/** A page audit or a site health crawl finished. */
export const auditCompleted = EventKind.make({
  type: "audit.completed",
  description: "A scheduled or on-demand crawl finished: a page audit, or a site health run (completely or partially).",
  data: Schema.Union(
    Schema.Struct({ ...audit, outcome: field(AuditOutcome, "Scores of the audit") }).annotations({
      identifier: "CompletedAudit",
      description: "A page audit that was completed"
    }),
    Schema.Struct({ ...siteHealthRun, outcome: field(RunOutcome, "Short summary of the result") }).annotations({
      identifier: "CompletedSiteHealthRun",
      description: "A site health run that ended with a result"
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
  description: "A page audit or a site health run ended with an error, such as a host name that does not resolve.",
  data: Schema.Union(
    Schema.Struct({
      ...audit,
      outcome: field(failed("FailedAuditOutcome", AuditFailure), "How the audit failed")
    }).annotations({ identifier: "FailedAudit", description: "A page audit that failed" }),
    Schema.Struct({
      ...siteHealthRun,
      outcome: field(failed("FailedSiteHealthOutcome", RunFailure), "How the run failed")
    }).annotations({ identifier: "FailedSiteHealthRun", description: "A site health run that failed" })
  ),
  example: {
    subject: "audit",
    id: "01937f4e-2b6d-7a10-8c55-3f0e9d2b7a41",
    url: "https://www.example.com/pricing",
    outcome: {
      status: "failed",
      error: {
        code: "dns_failure",
        message: "The host name www.example.com does not resolve.",
        lighthouse_code: null
      }
    }
  }
})
