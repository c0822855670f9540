import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Scalars.ts"
import { countsOf, Finding, FindingCounts } from "./Finding.ts"
import { Attempt, HealthReason, MeasuredPage, RobotsLine, Termination } from "./MeasuredPage.ts"
import { nothingRendered, RenderingSummary } from "./Rendering.ts"
import { AnyScore } from "./SiteScore.ts"

/** URLs the trap guard put last or left out, by reason. */
const TrapSkip = Schema.Struct({
  reason: Schema.Literal(
    "pattern_share",
    "repeated_segments",
    "query_permutation",
    "facets",
    "session_id",
    "calendar",
    "parameter_set",
    "action_link",
    "excluded",
    "not_included"
  ).annotations({ description: "What they have in common" }),
  pattern: Schema.String.annotations({
    description:
      "What they share: for `action_link` the parameter or path of the action, for `excluded` the glob, for `not_included` all globs"
  }),
  count: Schema.Int.annotations({ description: "URLs of this pattern" }),
  unread: Schema.Int.annotations({ description: "URLs of this pattern that were not requested" }),
  example_url: Schema.String.annotations({ description: "One of them" })
}).annotations({
  identifier: "CrawlTrap",
  description: "Groups of endless URLs that the crawl fetched last or skipped"
})

/** Limits of a crawl, and the URLs beyond them. */
const Limits = Schema.Struct({
  max_pages: Schema.Int.annotations({ description: "Page limit of the crawl" }),
  deadline_seconds: Schema.Number.annotations({ description: "Time limit of the crawl in seconds" }),
  unlisted_urls: Schema.Int.annotations({
    description: "URLs found beyond the maximum that `pages` lists"
  }),
  traps: Schema.Array(TrapSkip).annotations({ description: "Groups of endless URLs" }),
  exclude: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }).annotations({
    description: "Globs of excluded URLs; absent if there were none, as in all crawls started through the API"
  }),
  include: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }).annotations({
    description: "Globs of the only URLs to crawl; absent if there were none, as in all crawls started through the API"
  })
}).annotations({ identifier: "SiteHealthLimits", description: "Limits of a crawl, and what they excluded" })

/** The robots.txt of the start origin: `unknown` means the crawl ended before it answered. */
export const RobotsState = Schema.Literal("parsed", "absent", "unreachable", "unknown").annotations({
  identifier: "RobotsState",
  description:
    "`unreachable`: 5xx, 429 or no response, so nothing may be crawled (RFC 9309 §2.3.1.4); `unknown`: the crawl ended before it responded"
})
export type RobotsState = typeof RobotsState.Type

/** The pages that robots.txt lets one agent read; every URL counts except redirects, errors, files and URLs that act. */
export const AgentSummary = Schema.Struct({
  agent: Schema.String.annotations({ description: "Product token in robots.txt, such as `Googlebot`" }),
  allowed_pages: Schema.Int.annotations({ description: "Crawled pages that it may fetch" }),
  blocked_pages: Schema.Int.annotations({ description: "Crawled pages that it may not fetch" }),
  start_allowed: Schema.Boolean.annotations({ description: "Whether it may fetch the start page" }),
  line: Schema.NullOr(RobotsLine).annotations({
    description: "The robots.txt line that applies to the start page; null if none does"
  })
}).annotations({
  identifier: "RobotsAgent",
  description: "What robots.txt allows one crawler of a search engine or AI company"
})
export type AgentSummary = typeof AgentSummary.Type

export const RobotsSummary = Schema.Struct({
  state: field(RobotsState, "State of the file"),
  url: Schema.String.annotations({ description: "URL of the file" }),
  http_status: Schema.NullOr(Schema.Int).annotations({ description: "Status of its response; null without one" }),
  group: Schema.NullOr(Schema.String).annotations({
    description: "Group that applies to FindableBot as the file writes it, `*` for the default group; null if none does"
  }),
  crawl_delay_seconds: Schema.NullOr(Schema.Number).annotations({
    description: "Crawl-delay of that group in seconds; null without one"
  }),
  crawl_delay_allows: Schema.NullOr(Schema.Int).annotations({
    description: "Requests that the delay allows within the time limit; null without a delay"
  }),
  truncated: Schema.Boolean.annotations({
    description: "Whether it is longer than 500 KiB, so that only the first part counts (RFC 9309 §2.5)"
  }),
  sitemaps: Schema.Int.annotations({ description: "Sitemaps that it lists with a full URL" }),
  agents: Schema.Array(AgentSummary).annotations({
    description: "What search engines and AI companies may crawl; empty if robots.txt did not respond"
  })
}).annotations({ identifier: "RobotsSummary", description: "robots.txt of the start origin" })
export type RobotsSummary = typeof RobotsSummary.Type

const SitemapProblem = Schema.Struct({
  kind: Schema.String.annotations({ description: "Kind of problem, such as `invalid_lastmod`" }),
  count: Schema.Int.annotations({ description: "How often it occurs in the file" }),
  detail: Schema.NullOr(Schema.String).annotations({
    description: "What is wrong with the first one, or its value; null if the kind says it all"
  }),
  line: Schema.optionalWith(Schema.Int, { exact: true }).annotations({
    description: "Line of the first one, from 1; absent if unknown"
  }),
  column: Schema.optionalWith(Schema.Int, { exact: true }).annotations({
    description: "Column of the first one, from 1; absent if unknown"
  }),
  text: Schema.optionalWith(Schema.String, { exact: true }).annotations({
    description: "Text of that line around the problem, without user names and passwords; absent if there is none"
  })
}).annotations({ identifier: "SitemapProblem", description: "A kind of problem in a sitemap file" })

export const SitemapFile = Schema.Struct({
  url: Schema.String.annotations({ description: "URL of the file" }),
  state: Schema.Literal("read", "absent", "unreachable", "blocked_by_robots", "unreadable", "skipped").annotations({
    description: "State of the file; `skipped`: on another site, or beyond the file limit"
  }),
  kind: Schema.NullOr(Schema.Literal("index", "urls")).annotations({
    description: "Whether it lists sitemaps or pages; null if unreadable"
  }),
  urls: Schema.Int.annotations({ description: "URLs that it lists" }),
  problems: Schema.Array(SitemapProblem).annotations({
    description: "Problems of the file, one entry for each kind"
  })
}).annotations({ identifier: "SitemapFile", description: "One sitemap file" })
export type SitemapFile = typeof SitemapFile.Type

/** `complete` when every named file was read to its end, `absent` without a file. */
export const SitemapSummary = Schema.Struct({
  state: Schema.Literal("complete", "partial", "absent", "unreadable", "not_read").annotations({
    description: "`complete`: every file was read completely; `absent`: there is none"
  }),
  urls: Schema.Int.annotations({ description: "Distinct URLs of the site in all files" }),
  foreign_urls: Schema.Int.annotations({
    description: "URLs of other sites in all files; these are not crawled"
  }),
  files: Schema.Array(SitemapFile).annotations({ description: "Every sitemap file, in the order of fetching" })
}).annotations({ identifier: "SitemapSummary", description: "The sitemaps of the site" })
export type SitemapSummary = typeof SitemapSummary.Type

const Exclusion = Schema.Struct({
  reason: field(HealthReason, "Why they are excluded"),
  count: Schema.Int.annotations({ description: "URLs with this reason" }),
  example_url: Schema.String.annotations({ description: "The first of them" })
}).annotations({ identifier: "SiteHealthExclusion", description: "URLs that are excluded for one reason" })

export const Inventory = Schema.Struct({
  eligible: Schema.Int.annotations({ description: "Indexable pages" }),
  excluded: Schema.Int.annotations({ description: "URLs that are not indexable, or unverified" }),
  reasons: Schema.Array(Exclusion).annotations({ description: "Why URLs are excluded, one entry for each reason" })
}).annotations({ identifier: "SiteHealthInventory", description: "How many pages are indexable" })
export type Inventory = typeof Inventory.Type

/** A page of the site that returns 4xx or 5xx, confirmed by a second GET. */
export const DeadLink = Schema.Struct({
  url: Schema.String.annotations({ description: "URL that links point to" }),
  http_status: Schema.Int.annotations({ description: "Confirmed status" }),
  linked_from: Schema.Array(Schema.String).annotations({ description: "The first ten pages that link to it" }),
  all_linked_from: Schema.Array(Schema.String).annotations({
    description: "Every page that links to it, directly or through redirects"
  }),
  anchor_text: Schema.NullOr(Schema.String).annotations({
    description: "Text of the first link to it; null if only a sitemap or a canonical references it"
  }),
  attempts: Schema.Array(Attempt).annotations({ description: "The requests that confirm it" })
}).annotations({ identifier: "DeadLink", description: "A page that returns 4xx or 5xx, confirmed by a second GET" })
export type DeadLink = typeof DeadLink.Type

export const DeadLinks = Schema.Struct({
  state: Schema.Literal("disabled", "unavailable", "complete", "partial").annotations({
    description:
      "`disabled`: turned off; `unavailable`: no URL was requested; `partial`: the crawl did not cover every link"
  }),
  checked: Schema.Int.annotations({ description: "URLs with a clear response" }),
  found: Schema.Int.annotations({ description: "Broken URLs" }),
  unverified: Schema.Int.annotations({
    description: "URLs without a clear response, such as a timeout, 429 or a bot challenge; never counted as broken"
  }),
  items: Schema.Array(DeadLink).annotations({ description: "The broken URLs" })
}).annotations({ identifier: "DeadLinks", description: "Result of checking links" })
export type DeadLinks = typeof DeadLinks.Type

/** Time and crawler of a crawl. */
export const CrawlRecord = Schema.Struct({
  started_at: Schema.String.annotations({ description: "Start of the crawl, ISO 8601 in UTC" }),
  duration_ms: Schema.Int.annotations({ description: "Duration of the crawl in milliseconds" }),
  version: Schema.String.annotations({ description: "Version of Findable" }),
  user_agent: Schema.String.annotations({ description: "`User-Agent` of the requests" })
}).annotations({ identifier: "CrawlRecord", description: "When and by what a site was crawled" })
export type CrawlRecord = typeof CrawlRecord.Type

export const Summary = Schema.Struct({
  crawl: field(CrawlRecord, "When and by what"),
  complete: Schema.Boolean.annotations({
    description: "Whether the crawl covered every page that it found: no limit ended it"
  }),
  // Beside a field with a default, only fields with a key keep their text in the OpenAPI document.
  termination: field(Termination, "What ended the crawl").pipe(Schema.fromKey("termination")),
  pages: field(
    Schema.Struct({
      discovered: Schema.Int.annotations({ description: "URLs found" }),
      fetched: Schema.Int.annotations({ description: "URLs that responded" }),
      failed: Schema.Int.annotations({ description: "URLs that were requested and did not respond" }),
      skipped: Schema.Int.annotations({ description: "URLs that were never requested" })
    }).annotations({ identifier: "SiteHealthPageCounts", description: "URLs that a crawl found" }),
    "URLs found: `discovered` = `fetched` + `failed` + `skipped`"
  ),
  robots: field(RobotsSummary, "robots.txt of the start origin"),
  sitemap: field(SitemapSummary, "The sitemaps"),
  inventory: field(Inventory, "How many pages are indexable"),
  dead_links: field(DeadLinks, "Broken links to pages of the site").pipe(Schema.fromKey("dead_links")),
  external_links: field(DeadLinks, "Broken links to other sites, if `check_external_links` was set").pipe(
    Schema.fromKey("external_links")
  ),
  limits: field(Limits, "Limits of the crawl, and what they excluded"),
  rendering: Schema.optionalWith(RenderingSummary, { default: () => nothingRendered, exact: true }).annotations({
    description: "What was rendered, and what was left out"
  })
}).annotations({ identifier: "SiteHealthSummary", description: "What was crawled, and how far" })
export type Summary = typeof Summary.Type

export const VerifyVerdict = Schema.Literal("fixed", "still_failing", "not_assessable").annotations({
  identifier: "VerifyVerdict",
  description: "`fixed`: fetched again, and the check passes. `not_assessable`: not checked; `detail` says why"
})
export type VerifyVerdict = typeof VerifyVerdict.Type

/** The recheck of one issue on one URL of an earlier crawl. */
export const Verification = Schema.Struct({
  rule: Schema.String.annotations({ description: "Id of the check that failed" }),
  url: Schema.String.annotations({ description: "URL on which it failed" }),
  verdict: field(VerifyVerdict, "Result now"),
  detail: Schema.String.annotations({
    description: "What is wrong now, or why the recheck has no result; may be empty"
  })
}).annotations({
  identifier: "SiteHealthVerification",
  description: "Recheck of one issue on one URL of an earlier crawl"
})
export type Verification = typeof Verification.Type

/** The whole result of a crawl: one declaration for HTTP responses, storage and webhook payloads. */
export const CrawlResult = Schema.Struct({
  summary: field(Summary, "What was crawled and how far: robots.txt, sitemaps, broken links, limits"),
  pages: Schema.Array(MeasuredPage).annotations({
    description: "Every URL that the crawl found, fetched or not, in the order of discovery"
  }),
  findings: Schema.Array(Finding).annotations({ description: "One for each check of the catalogue, in its order" }),
  score: field(AnyScore, "Score of the site; results of an earlier version of Findable keep the score of that version"),
  verification: Schema.optionalWith(Schema.Array(Verification), { exact: true }).annotations({
    description: "Results of the recheck; absent in other results"
  })
}).annotations({ identifier: "SiteHealthResult", description: "The whole result of a crawl" })
export type CrawlResult = typeof CrawlResult.Type

/** Progress of a running crawl; `pages_fetched` answered, `pages_failed` did not. */
export const Counters = Schema.Struct({
  pages_discovered: Schema.Int.annotations({ description: "URLs found so far" }),
  pages_fetched: Schema.Int.annotations({ description: "URLs that responded" }),
  pages_failed: Schema.Int.annotations({ description: "URLs that did not respond" })
}).annotations({ identifier: "SiteHealthCounters", description: "Progress of a crawl" })
export type Counters = typeof Counters.Type

/** The start page is out of reach, refused the crawler, leads to another site, or the crawl itself broke: there is no report. */
export class CrawlFailed extends Data.TaggedError("CrawlFailed")<{
  readonly code: "start_unreachable" | "start_refused" | "start_redirects_offsite" | "crawl_failed"
  readonly message: string
}> {}

/** An event of a running crawl; a page's states are provisional until the report, which covers the whole site. */
export type CrawlEvent =
  | { readonly _tag: "Phase"; readonly phase: "preparing" | "crawling" | "analysing" }
  | { readonly _tag: "Page"; readonly page: MeasuredPage; readonly counters: Counters }
  | { readonly _tag: "Finished"; readonly report: CrawlResult }

/** Summary of a finished crawl: the `outcome` of its event. */
export const CrawlOutcome = Schema.Struct({
  status: Schema.Literal("completed", "partial").annotations({
    description: "`partial`: a limit ended the crawl before it covered every page"
  }),
  termination: field(Termination, "What ended the crawl"),
  aggregate_score: Schema.NullOr(Schema.Number.pipe(Schema.between(0, 100))).annotations({
    description: "Score from 0 to 100; null if no page could be crawled"
  }),
  findings: field(FindingCounts, "Issues by severity"),
  pages_fetched: Schema.NonNegativeInt.annotations({ description: "URLs that responded" }),
  pages_failed: Schema.NonNegativeInt.annotations({ description: "URLs that did not respond" }),
  dead_links_found: Schema.NullOr(Schema.NonNegativeInt).annotations({
    description:
      "URLs of the site that return 4xx or 5xx, confirmed by a second request; null if links were not checked"
  })
})
export type CrawlOutcome = typeof CrawlOutcome.Type

export const outcomeOf = ({ findings, score, summary }: CrawlResult): CrawlOutcome => ({
  status: summary.termination === "complete" ? "completed" : "partial",
  termination: summary.termination,
  aggregate_score: score.aggregate_score,
  findings: countsOf(findings),
  pages_fetched: summary.pages.fetched,
  pages_failed: summary.pages.failed,
  dead_links_found: ["disabled", "unavailable"].includes(summary.dead_links.state) ? null : summary.dead_links.found
})
