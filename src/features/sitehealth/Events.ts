import * as Schema from "effect/Schema"
import { CrawlOutcome } from "../../crawl/report/CrawlResult.ts"
import { field, Uuid, WebAddress } from "../../foundation/schema/Scalars.ts"
import { RunFailure } from "../audits/Events.ts"
import * as EventKind from "../events/EventKind.ts"
import { ProjectId } from "../projects/Domain.ts"

const run = {
  run_id: Uuid.annotations({ description: "UUID of the run" }),
  project_id: ProjectId.annotations({ description: "UUID of the project that it crawled" }),
  url: WebAddress.annotations({ description: "Where the crawl started" })
}

const Points = Schema.Int.pipe(Schema.between(0, 100))

const { aggregate_score: _, ...outcome } = CrawlOutcome.fields

/** A site health run ended with a result. */
export const siteHealthCompleted = EventKind.make({
  type: "site_health.completed",
  description: "A site health run finished with a result: it covered the site, or a part of it (`partial`).",
  data: Schema.Struct({
    ...run,
    verify: Schema.NullOr(Uuid).annotations({
      description: "UUID of the run whose faults it checked again; null for a run of the whole site"
    }),
    ...outcome,
    against: Schema.NullOr(Uuid).annotations({
      description: "The earlier run of the project from the same start URL; null when there is none"
    }),
    score: field(
      Schema.Struct({
        before: Schema.NullOr(Points).annotations({
          description: "Points of the earlier run; null without one, or when the scores cannot be compared"
        }),
        after: Schema.NullOr(Points).annotations({ description: "Points of this run; null when it has no score" }),
        delta: Schema.NullOr(Schema.Int).annotations({ description: "`after` − `before`; null when either is" })
      }).annotations({ identifier: "SiteHealthScores", description: "Score of a run and of the one before it" }),
      "Score of the site, from 0 to 100, before and after"
    ),
    new: Schema.NullOr(Schema.NonNegativeInt).annotations({
      description: "Faults, a rule failing on a URL, that are new; null without an earlier run"
    }),
    fixed: Schema.NullOr(Schema.NonNegativeInt).annotations({
      description: "Faults of the earlier run that are repaired; null without an earlier run"
    })
  }),
  example: {
    run_id: "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11",
    project_id: "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21",
    url: "https://www.example.com/",
    verify: null,
    status: "completed",
    termination: "complete",
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
  description: "A site health run ended with an error, such as a start page that cannot be reached.",
  data: Schema.Struct({ ...run, error: field(RunFailure, "Why there is no result") }),
  example: {
    run_id: "0192f0c4-7a57-7c3e-9d1b-5f2f8f6f0a11",
    project_id: "7b0d5f0e-52a5-4c55-a5b0-0a6f6b8f3c21",
    url: "https://www.example.com/",
    error: { code: "start_unreachable", message: "The start page did not answer within 10 s." }
  }
})

/** The score of a site fell, and what could not be verified does not explain it. */
export const siteHealthScoreDropped = EventKind.make({
  type: "site_health.score_dropped",
  description:
    "The score of a site fell by 5 points or more, or with a new critical issue, between two complete crawls with the same options, and URLs that could not be verified do not explain the fall.",
  data: Schema.Struct({
    ...run,
    against: Uuid.annotations({ description: "The newest earlier complete run with the same options" }),
    score: field(
      Schema.Struct({
        before: Points.annotations({ description: "Points of the earlier run" }),
        after: Points.annotations({ description: "Points of this run" }),
        delta: Schema.Int.annotations({ description: "`after` − `before`, below 0" })
      }).annotations({ identifier: "SiteHealthFall", description: "A score that fell" }),
      "Score of the site, from 0 to 100, before and after"
    ),
    new: Schema.NonNegativeInt.annotations({ description: "Faults, a rule failing on a URL, that are new" }),
    new_critical: Schema.NonNegativeInt.annotations({ description: "Those of them that are critical" }),
    fixed: Schema.NonNegativeInt.annotations({ description: "Faults of the earlier run that are repaired" })
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
