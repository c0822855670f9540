import * as Schema from "effect/Schema"
import { CrawlOutcome } from "../../crawl/report/CrawlResult.ts"
import { field, Uuid, WebAddress } from "../../foundation/schema/Scalars.ts"
import { RunFailure } from "../audits/Events.ts"
import * as EventKind from "../events/EventKind.ts"
import { ProjectId } from "../projects/Domain.ts"

const run = {
  run_id: Uuid.annotations({ description: "UUID of the crawl" }),
  project_id: ProjectId.annotations({ description: "UUID of the site" }),
  url: WebAddress.annotations({ description: "Where the crawl started" })
}

const Points = Schema.Int.pipe(Schema.between(0, 100))

const { aggregate_score: _, ...outcome } = CrawlOutcome.fields

/** A site health run ended with a result. */
export const siteHealthCompleted = EventKind.make({
  type: "site_health.completed",
  description: "A crawl finished with a result: it covered the site, or a part of it (`partial`).",
  data: Schema.Struct({
    ...run,
    verify: Schema.NullOr(Uuid).annotations({
      description: "UUID of the crawl that it rechecked; null for a crawl of the whole site"
    }),
    ...outcome,
    against: Schema.NullOr(Uuid).annotations({
      description: "UUID of the previous crawl of the site from the same start URL; null if there is none"
    }),
    score: field(
      Schema.Struct({
        before: Schema.NullOr(Points).annotations({
          description: "Points of the earlier crawl; null without one, or if the scores are not comparable"
        }),
        after: Schema.NullOr(Points).annotations({ description: "Points of this crawl; null without a score" }),
        delta: Schema.NullOr(Schema.Int).annotations({ description: "`after` − `before`; null if either is null" })
      }).annotations({ identifier: "SiteHealthScores", description: "Score of a crawl and of the one before it" }),
      "Score of the site, from 0 to 100, before and after"
    ),
    new: Schema.NullOr(Schema.NonNegativeInt).annotations({
      description: "New issues, counted per URL; null without an earlier crawl"
    }),
    fixed: Schema.NullOr(Schema.NonNegativeInt).annotations({
      description: "Fixed issues, counted per URL; null without an earlier crawl"
    })
  }),
  example: {
    run_id: "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11",
    project_id: "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21",
    url: "https://www.example.com/",
    verify: null,
    status: "completed",
    termination: "complete",
    findings: { critical: 1, warning: 4, info: 3 },
    pages_fetched: 38,
    pages_failed: 1,
    dead_links_found: 2,
    against: "0192e8a1-0c1f-7d52-8a3b-9f1c2d3e4f50",
    score: { before: 84, after: 88, delta: 4 },
    new: 1,
    fixed: 3
  }
})

/** A site health run ended without a result. */
export const siteHealthFailed = EventKind.make({
  type: "site_health.failed",
  description: "A crawl failed, for example because the start page is unreachable.",
  data: Schema.Struct({ ...run, error: field(RunFailure, "Why there is no result") }),
  example: {
    run_id: "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11",
    project_id: "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21",
    url: "https://www.example.com/",
    error: {
      code: "start_unreachable",
      message: "https://www.example.com/ cannot be reached: The exchange took longer than its deadline"
    }
  }
})

/** The score of a site fell beyond the unverified URLs' effect. */
export const siteHealthScoreDropped = EventKind.make({
  type: "site_health.score_dropped",
  description:
    "The score of a site dropped by 5 points or more, or with a new critical issue, between two complete crawls with the same options. Drops that unverified URLs could explain do not count.",
  data: Schema.Struct({
    ...run,
    against: Uuid.annotations({ description: "UUID of the latest earlier complete crawl with the same options" }),
    score: field(
      Schema.Struct({
        before: Points.annotations({ description: "Points of the earlier crawl" }),
        after: Points.annotations({ description: "Points of this crawl" }),
        delta: Schema.Int.annotations({ description: "`after` − `before`, below 0" })
      }).annotations({ identifier: "SiteHealthFall", description: "A score that dropped" }),
      "Score of the site, from 0 to 100, before and after"
    ),
    new: Schema.NonNegativeInt.annotations({ description: "New issues, counted per URL" }),
    new_critical: Schema.NonNegativeInt.annotations({ description: "New critical issues, counted per URL" }),
    fixed: Schema.NonNegativeInt.annotations({ description: "Fixed issues, counted per URL" })
  }),
  example: {
    run_id: "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11",
    project_id: "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21",
    url: "https://www.example.com/",
    against: "0192e8a1-0c1f-7d52-8a3b-9f1c2d3e4f50",
    score: { before: 88, after: 71, delta: -17 },
    new: 6,
    new_critical: 1,
    fixed: 0
  }
})
