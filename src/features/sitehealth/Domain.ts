import * as Schema from "effect/Schema"
import { Counters, CrawlResult } from "../../crawl/report/CrawlResult.ts"
import { Category, FindingCounts, FindingStatus, Severity } from "../../crawl/report/Finding.ts"
import { ScoreStatus } from "../../crawl/report/SiteScore.ts"
import { inPath } from "../../foundation/http/Contract.ts"
import { field, portProblem, Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import { FixDirective as AuditDirective } from "../audits/Domain.ts"
import { ProjectId } from "../projects/Domain.ts"

export const RunId = Uuid.pipe(Schema.brand("RunId"))
export type RunId = typeof RunId.Type

/** A run by its id in a path. */
export const OfRun = Schema.Struct({ run_id: inPath(RunId) })

/** `completed`, `partial`, `failed` and `cancelled` are final and never change. */
export const RunStatus = Schema.Literal("queued", "running", "completed", "partial", "failed", "cancelled").annotations(
  {
    identifier: "SiteHealthRunStatus",
    description:
      "`completed`, `partial`, `failed` and `cancelled` are final; `partial`: a limit ended the crawl, and there is a result"
  }
)
export type RunStatus = typeof RunStatus.Type

export const Phase = Schema.Literal("queued", "preparing", "crawling", "analysing", "finished").annotations({
  identifier: "SiteHealthPhase",
  description: "What the run is doing"
})
export type Phase = typeof Phase.Type

/** Why a run failed. */
export const RunError = Schema.Struct({
  code: Schema.Literal(
    "worker_lost",
    "start_unreachable",
    "start_refused",
    "start_redirects_offsite",
    "crawl_failed"
  ).annotations({
    description:
      "`worker_lost`: its worker died, start it again; `crawl_failed`: a fault of the crawler; the others are about the start page"
  }),
  message: Schema.String.annotations({ description: "One sentence for people" })
}).annotations({ identifier: "SiteHealthRunError", description: "Why a run failed" })
export type RunError = typeof RunError.Type

/** What is crawled, after defaults and the plan's page limit. */
export const EffectiveRequest = Schema.Struct({
  url: Schema.String.annotations({ description: "Where the crawl starts" }),
  max_pages: Schema.Int.annotations({ description: "Pages at most" }),
  check_dead_links: Schema.Boolean.annotations({ description: "Whether dead links are confirmed by a second request" }),
  check_external_links: Schema.Boolean.annotations({ description: "Whether links to other sites are checked" }),
  verify: Schema.NullOr(RunId).annotations({
    description: "Id of the run whose faults it verifies; null for a run of the whole site"
  })
}).annotations({
  identifier: "SiteHealthRequest",
  description: "What is crawled, after defaults and the plan's limit of pages"
})
export type EffectiveRequest = typeof EffectiveRequest.Type

/** What a run's score says, without how it adds up. */
const RunScore = Schema.Struct({
  aggregate_score: Schema.Int.annotations({ description: "Whole points from 0 to 100" }),
  status: field(ScoreStatus, "Verdict on the score"),
  coverage: Schema.Number.annotations({
    description: "Assessed pages as a share of the assessed and the unverified ones, from 0 to 1"
  }),
  range: field(
    Schema.Struct({
      low: Schema.Int.annotations({ description: "Points if every unverified page were down" }),
      high: Schema.Int.annotations({ description: "Points if every unverified page were sound" })
    }).annotations({ identifier: "SiteHealthRunScoreRange", description: "Ends of a run's score" }),
    "What the unverified pages could make of it"
  ),
  provisional: Schema.Boolean.annotations({ description: "Whether what is unverified may change the verdict" })
}).annotations({ identifier: "SiteHealthRunScore", description: "Score of a run, without how it adds up" })

/** A site health run. */
export const Run = Schema.Struct({
  id: RunId.annotations({ description: "UUID of the run" }),
  type: Schema.Literal("site_health").annotations({ description: "Always `site_health`" }),
  project_id: ProjectId.annotations({ description: "UUID of the project that it crawls" }),
  status: field(RunStatus, "Where the run stands; final ones never change"),
  phase: field(Phase, "What it is doing; `finished` with a final status"),
  created_at: field(Timestamp, "When it was asked for"),
  started_at: Schema.NullOr(Timestamp).annotations({ description: "When a worker took it; null while it is queued" }),
  finished_at: Schema.NullOr(Timestamp).annotations({ description: "When its status became final; null before that" }),
  counters: Schema.NullOr(Counters).annotations({ description: "Progress; null until the first page was measured" }),
  error: Schema.NullOr(RunError).annotations({ description: "Why it failed; null unless the status is `failed`" }),
  deadline_at: Schema.NullOr(Timestamp).annotations({
    description: "When it is over at the latest; null unless the status is `running`"
  }),
  last_url: Schema.NullOr(Schema.String).annotations({
    description: "URL that it read last; null before the first one, and unless the status is `running`"
  }),
  score: Schema.NullOr(RunScore).annotations({
    description:
      "Score of the site; null before the end, without a result, of a verification, and where nothing could be measured"
  }),
  findings: Schema.NullOr(FindingCounts).annotations({
    description: "Failing rules by severity; null before the end and without a result"
  }),
  request: field(EffectiveRequest, "What it crawls"),
  result_available: Schema.Boolean.annotations({
    description: "Whether `include=result` and the lists of pages and findings have something to show"
  })
}).annotations({ identifier: "SiteHealthRun", description: "A bounded crawl of a site" })
export type Run = typeof Run.Type

/** A run with its result, when it was requested and the run is finished. */
export const RunWithResult = Schema.Struct({
  ...Run.fields,
  result: Schema.optionalWith(Schema.NullOr(CrawlResult), { exact: true }).annotations({
    description: "With `include=result`: the result, null while there is none; absent otherwise"
  })
}).annotations({ identifier: "SiteHealthRunWithResult", description: "A run, with its result where it was asked for" })
export type RunWithResult = typeof RunWithResult.Type

/** Body of `POST /runs/{id}/verify`. */
export const VerifyRun = Schema.Struct({
  rules: Schema.optionalWith(
    Schema.Array(Schema.String).pipe(
      Schema.minItems(1, { message: () => "must name at least one rule" }),
      Schema.maxItems(200, { message: () => "must name at most 200 rules" })
    ),
    { exact: true }
  ).annotations({ description: "Ids of the rules whose failing URLs are verified; all that fail by default" })
}).annotations({ identifier: "VerifySiteHealthRun", description: "Which rules are verified; the body may be absent" })
export type VerifyRun = typeof VerifyRun.Type

/** Body of `POST /projects/{id}/site-health/runs`; all fields have defaults. */
export const StartRun = Schema.Struct({
  url: Schema.optionalWith(
    Schema.String.pipe(
      Schema.maxLength(2048, { message: () => "must be at most 2048 characters long" }),
      Schema.filter(portProblem)
    ),
    { exact: true }
  ).annotations({
    description: "Where the crawl starts: an address on the project's host, `www.` ignored; its root by default"
  }),
  max_pages: Schema.optionalWith(
    Schema.Int.pipe(Schema.between(1, 50, { message: () => "must be an integer from 1 to 50" })),
    { exact: true }
  ).annotations({
    description:
      "Pages at most, 1 to 50; the plan's limit by default, to which a larger number is lowered. More than 50 are 422"
  }),
  check_dead_links: Schema.optionalWith(Schema.Boolean, { default: () => true, exact: true }).annotations({
    description:
      "Whether 4xx and 5xx answers of pages that links lead to are confirmed by a second request; true by default"
  }),
  check_external_links: Schema.optionalWith(Schema.Boolean.annotations({ default: false }), {
    exact: true
  }).annotations({
    description: "Whether pages of other sites that links lead to are asked for, 200 at most, one at a time a host"
  })
}).annotations({
  identifier: "StartSiteHealthRun",
  description: "What is crawled; the body may be absent, and all fields have defaults"
})
export type StartRun = typeof StartRun.Type

/** What to repair of a site, for people and for a coding agent: the form of an audit's directives, with the categories of findings. */
export const FixDirective = Schema.Struct({
  ...AuditDirective.fields,
  category: field(Category, "Subject of the rule"),
  severity: field(Severity, "What the rule costs")
}).annotations({
  identifier: "SiteHealthFixDirective",
  description: "What to repair after a run: one for each rule that fails"
})
export type FixDirective = typeof FixDirective.Type

const RuleVerdict = Schema.Struct({
  status: field(FindingStatus, "Verdict; `not_assessed` also where the run did not know the rule yet"),
  count: Schema.Int.annotations({ description: "Pages that fail it; 0 unless the status is `fail`" })
}).annotations({ identifier: "SiteHealthRuleVerdict", description: "What one run says of a rule" })

/** What one run adds to the history of a site. */
export const HistoryPoint = Schema.Struct({
  run_id: RunId.annotations({ description: "UUID of the run" }),
  finished_at: field(Timestamp, "When it ended"),
  score: Schema.NullOr(RunScore).annotations({
    description: "Score of the site; null where nothing could be measured"
  }),
  findings: field(FindingCounts, "Failing rules by severity"),
  rule: Schema.optionalWith(RuleVerdict, { exact: true }).annotations({
    description: "With `rule`: what the run says of it; absent otherwise"
  })
}).annotations({ identifier: "SiteHealthHistoryPoint", description: "What one run adds to the history of a site" })

/** Seconds of wall clock that a crawl may take; the crawl itself keeps to it. */
export const crawlSeconds = 90

/** Seconds after which a run that has started is over at the latest: the crawl and storing its result. */
export const runSeconds = 95

/** Channel that wakes the workers. */
export const channel = "findable_site_health"

/** How long a request may wait for the end of a run. */
export const endOfRun = { most: 50, when: "the run has ended" } as const
