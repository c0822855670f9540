import * as Schema from "effect/Schema"
import { Counters, CrawlResult } from "../../crawl/report/CrawlResult.ts"
import { Category, FindingCounts, FindingStatus, Severity } from "../../crawl/report/Finding.ts"
import { Render } from "../../crawl/report/Rendering.ts"
import { ScoreStatus } from "../../crawl/report/SiteScore.ts"
import { inPath } from "../../foundation/http/Contract.ts"
import { field, portProblem, Uuid } from "../../foundation/schema/Scalars.ts"
import { Timestamp } from "../../foundation/schema/Time.ts"
import { FixDirective as AuditDirective } from "../audits/Domain.ts"
import { ProjectId } from "../projects/Domain.ts"

export const RunId = Uuid.pipe(Schema.brand("RunId"))
export type RunId = typeof RunId.Type

/** The id of a run in a path. */
export const OfRun = Schema.Struct({ run_id: inPath(RunId) })

/** `completed`, `partial`, `failed` and `cancelled` are final and never change. */
export const RunStatus = Schema.Literal("queued", "running", "completed", "partial", "failed", "cancelled").annotations(
  {
    identifier: "SiteHealthRunStatus",
    description:
      "`completed`, `partial`, `failed` and `cancelled` are final; `partial`: a limit ended the crawl, with a result for what it covered"
  }
)
export type RunStatus = typeof RunStatus.Type

export const Phase = Schema.Literal("queued", "preparing", "crawling", "analysing", "finished").annotations({
  identifier: "SiteHealthPhase",
  description: "What the crawl is doing"
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
      "`worker_lost`: its worker stopped, start a new crawl; `crawl_failed`: an error in the crawler; the others are about the start page"
  }),
  message: Schema.String.annotations({ description: "Explanation for people" })
}).annotations({ identifier: "SiteHealthRunError", description: "Why a crawl failed" })
export type RunError = typeof RunError.Type

/** The request of a crawl, after defaults and the plan's page limit. */
export const EffectiveRequest = Schema.Struct({
  url: Schema.String.annotations({ description: "Where the crawl starts" }),
  max_pages: Schema.Int.annotations({ description: "Maximum number of pages" }),
  check_dead_links: Schema.Boolean.annotations({
    description: "Whether broken links are confirmed by a second request"
  }),
  check_external_links: Schema.Boolean.annotations({ description: "Whether external links are checked" }),
  render: field(Render, "Which pages a browser renders"),
  verify: Schema.NullOr(RunId).annotations({
    description: "Id of the crawl that it rechecks; null for a crawl of the whole site"
  })
}).annotations({
  identifier: "SiteHealthRequest",
  description: "What is crawled, after defaults and the plan's page limit"
})
export type EffectiveRequest = typeof EffectiveRequest.Type

/** The score of a run, without its breakdown. */
const RunScore = Schema.Struct({
  aggregate_score: Schema.Int.annotations({ description: "Whole points from 0 to 100" }),
  status: field(ScoreStatus, "Rating of the score"),
  coverage: Schema.Number.annotations({
    description: "Share of checked pages among checked and unverified ones, from 0 to 1"
  }),
  range: field(
    Schema.Struct({
      low: Schema.Int.annotations({ description: "Points if every unverified page were broken" }),
      high: Schema.Int.annotations({ description: "Points if every unverified page were fine" })
    }).annotations({ identifier: "SiteHealthRunScoreRange", description: "Range of a score" }),
    "Score range, because of unverified pages"
  ),
  provisional: Schema.Boolean.annotations({ description: "Whether unverified URLs may change the rating" })
}).annotations({ identifier: "SiteHealthRunScore", description: "Score of a crawl, without its breakdown" })

/** A crawl of a site. */
export const Run = Schema.Struct({
  id: RunId.annotations({ description: "UUID of the crawl" }),
  type: Schema.Literal("site_health").annotations({ description: "Always `site_health`" }),
  project_id: ProjectId.annotations({ description: "UUID of the site" }),
  status: field(RunStatus, "Status; final ones never change"),
  phase: field(Phase, "What it is doing; `finished` with a final status"),
  created_at: field(Timestamp, "When it was created"),
  started_at: Schema.NullOr(Timestamp).annotations({
    description: "When a worker started it; null while it is queued"
  }),
  finished_at: Schema.NullOr(Timestamp).annotations({ description: "When its status became final; null before that" }),
  counters: Schema.NullOr(Counters).annotations({ description: "Progress; null until the first page is crawled" }),
  error: Schema.NullOr(RunError).annotations({ description: "Why it failed; null unless the status is `failed`" }),
  deadline_at: Schema.NullOr(Timestamp).annotations({
    description: "When it finishes at the latest; null unless the status is `running`"
  }),
  last_url: Schema.NullOr(Schema.String).annotations({
    description: "URL that it fetched last; null before the first one, and unless the status is `running`"
  }),
  score: Schema.NullOr(RunScore).annotations({
    description:
      "Score of the site; null before the end, without a result, for a recheck, and if no page could be crawled"
  }),
  findings: Schema.NullOr(FindingCounts).annotations({
    description: "Issues by severity; null before the end and without a result"
  }),
  request: field(EffectiveRequest, "What it crawls"),
  result_available: Schema.Boolean.annotations({
    description: "Whether it has a result: for `include=result`, and for the lists of pages and issues"
  })
}).annotations({ identifier: "SiteHealthRun", description: "A crawl of a site" })
export type Run = typeof Run.Type

/** A run, with its result if it was requested and the run is finished. */
export const RunWithResult = Schema.Struct({
  ...Run.fields,
  result: Schema.optionalWith(Schema.NullOr(CrawlResult), { exact: true }).annotations({
    description: "With `include=result`: the result, null while there is none; absent otherwise"
  })
}).annotations({ identifier: "SiteHealthRunWithResult", description: "A crawl, with its result if requested" })
export type RunWithResult = typeof RunWithResult.Type

/** Body of `POST /runs/{id}/verify`. */
export const VerifyRun = Schema.Struct({
  rules: Schema.optionalWith(
    Schema.Array(Schema.String).pipe(
      Schema.minItems(1, { message: () => "must list at least one check" }),
      Schema.maxItems(200, { message: () => "must list at most 200 checks" })
    ),
    { exact: true }
  ).annotations({ description: "Ids of the checks to run again; by default all that found issues" })
}).annotations({
  identifier: "VerifySiteHealthRun",
  description: "Which checks to run again; the request body is optional"
})
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
    description: "Where the crawl starts: a URL on the site's host, with or without `www.`; the root by default"
  }),
  max_pages: Schema.optionalWith(
    Schema.Int.pipe(Schema.between(1, 50, { message: () => "must be an integer from 1 to 50" })),
    { exact: true }
  ).annotations({
    description:
      "Maximum number of pages, 1 to 50; by default, and at most, the limit of your plan. More than 50 return 422"
  }),
  check_dead_links: Schema.optionalWith(Schema.Boolean, { default: () => true, exact: true }).annotations({
    description:
      "Whether to check for broken links: 4xx and 5xx of linked pages are confirmed by a second request; true by default"
  }),
  check_external_links: Schema.optionalWith(Schema.Boolean.annotations({ default: false }), {
    exact: true
  }).annotations({
    description: "Whether to check external links: up to 200 pages, one request at a time per host"
  }),
  render: Schema.optionalWith(
    Render.annotations({
      default: "auto",
      message: () => ({ message: `must be one of ${Render.literals.join(", ")}`, override: true })
    }),
    { exact: true }
  ).annotations({
    description:
      "Which pages a browser renders before they are checked: `auto` those that scripts change, `always` all with scripts, `never` none; `auto` by default. `always` needs a running worker with a browser, and returns 422 without one"
  })
}).annotations({
  identifier: "StartSiteHealthRun",
  description: "What to crawl; the request body is optional, and all fields have defaults"
})
export type StartRun = typeof StartRun.Type

/** A fix of a site, for people and for a coding agent: the form of an audit's directives, with the categories of issues. */
export const FixDirective = Schema.Struct({
  ...AuditDirective.fields,
  category: field(Category, "Category of the check"),
  severity: field(Severity, "Severity of the issue")
}).annotations({
  identifier: "SiteHealthFixDirective",
  description: "What to fix after a crawl: one for each issue"
})
export type FixDirective = typeof FixDirective.Type

const RuleVerdict = Schema.Struct({
  status: field(FindingStatus, "Result; `not_assessed` also if that version did not have the check yet"),
  count: Schema.Int.annotations({ description: "Affected pages; 0 unless the status is `fail`" })
}).annotations({ identifier: "SiteHealthRuleVerdict", description: "Result of a check in one crawl" })

/** The entry of one run in the history of a site. */
export const HistoryPoint = Schema.Struct({
  run_id: RunId.annotations({ description: "UUID of the crawl" }),
  status: Schema.Literal("completed", "partial").annotations({
    description: "`partial` when a limit ended it before every page was crawled"
  }),
  finished_at: field(Timestamp, "When it finished"),
  score: Schema.NullOr(RunScore).annotations({
    description: "Score of the site; null if no page could be crawled"
  }),
  findings: field(FindingCounts, "Issues by severity"),
  rule: Schema.optionalWith(RuleVerdict, { exact: true }).annotations({
    description: "With `rule`: result of that check; absent otherwise"
  })
}).annotations({ identifier: "SiteHealthHistoryPoint", description: "One crawl in the history of a site" })

/** Time limit of a crawl in seconds. */
export const crawlSeconds = 90

/** Maximum seconds of a started run, for the crawl and storing its result. */
export const runSeconds = 95

/** Channel that wakes the workers. */
export const channel = "findable_site_health"

/** How long a request may wait for the end of a run. */
export const endOfRun = { most: 50, when: "the crawl has finished" } as const
