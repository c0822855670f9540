import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Scalars.ts"
import { Finding } from "./Finding.ts"
import { Attempt, HealthReason, MeasuredPage, RobotsLine, Termination } from "./MeasuredPage.ts"
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
      "What they share; of an address that acts the parameter or path by which it does, of an excluded one the glob, of one that is not included all of those"
  }),
  count: Schema.Int.annotations({ description: "URLs of this pattern" }),
  unread: Schema.Int.annotations({ description: "URLs of this pattern that were not requested" }),
  example_url: Schema.String.annotations({ description: "One of them" })
}).annotations({
  identifier: "CrawlTrap",
  description: "URLs that multiply without end, which the crawl put last or left out"
})

/** Limits of a run, and what they left out. */
const Limits = Schema.Struct({
  max_pages: Schema.Int.annotations({ description: "Pages that the run might read" }),
  deadline_seconds: Schema.Number.annotations({ description: "Seconds that the run might take" }),
  unlisted_urls: Schema.Int.annotations({
    description: "URLs that the run met and `pages` does not list, above the cap of entries"
  }),
  traps: Schema.Array(TrapSkip).annotations({ description: "Groups of URLs that multiply without end" }),
  exclude: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }).annotations({
    description:
      "Globs of addresses that the run was not to request; absent where it had none, as in all runs of the API"
  }),
  include: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }).annotations({
    description:
      "Globs of the addresses that alone the run was to read; absent where it had none, as in all runs of the API"
  })
}).annotations({ identifier: "SiteHealthLimits", description: "Limits of a run, and what they left out" })

/** The robots.txt of the start origin: `unknown` means the run ended before it answered. */
export const RobotsState = Schema.Literal("parsed", "absent", "unreachable", "unknown").annotations({
  identifier: "RobotsState",
  description:
    "`unreachable`: 5xx, 429 or no answer, so nothing may be crawled (RFC 9309 §2.3.1.4); `unknown`: the run ended before it answered"
})
export type RobotsState = typeof RobotsState.Type

/** What robots.txt lets one agent read; a page is every URL that did not prove to be a redirect, an error, a file, or an address that acts. */
export const AgentSummary = Schema.Struct({
  agent: Schema.String.annotations({ description: "Product token that robots.txt addresses, such as `Googlebot`" }),
  allowed_pages: Schema.Int.annotations({ description: "Pages of the run that it may read" }),
  blocked_pages: Schema.Int.annotations({ description: "Pages of the run that it may not read" }),
  start_allowed: Schema.Boolean.annotations({ description: "Whether it may read the start page" }),
  line: Schema.NullOr(RobotsLine).annotations({
    description: "The line that decides about the start page; null when none does"
  })
}).annotations({
  identifier: "RobotsAgent",
  description: "What robots.txt lets one agent of a search engine or AI company read"
})
export type AgentSummary = typeof AgentSummary.Type

export const RobotsSummary = Schema.Struct({
  state: field(RobotsState, "Whether it was read"),
  url: Schema.String.annotations({ description: "Its address" }),
  http_status: Schema.NullOr(Schema.Int).annotations({ description: "Status of its answer; null when none came" }),
  group: Schema.NullOr(Schema.String).annotations({
    description: "Group that addresses FindableBot as the file writes it, `*` for the default one; null when none does"
  }),
  crawl_delay_seconds: Schema.NullOr(Schema.Number).annotations({
    description: "Crawl-delay of that group in seconds; null without one"
  }),
  crawl_delay_allows: Schema.NullOr(Schema.Int).annotations({
    description: "Requests that the delay leaves room for within the time of the run; null without a delay"
  }),
  truncated: Schema.Boolean.annotations({
    description: "Whether it is longer than 500 KiB and only the first part was read (RFC 9309 §2.5)"
  }),
  sitemaps: Schema.Int.annotations({ description: "Sitemaps that it names by a full address" }),
  agents: Schema.Array(AgentSummary).annotations({
    description: "What search engines and AI companies may read; empty when robots.txt never answered"
  })
}).annotations({ identifier: "RobotsSummary", description: "robots.txt of the start origin" })
export type RobotsSummary = typeof RobotsSummary.Type

const SitemapProblem = Schema.Struct({
  kind: Schema.String.annotations({ description: "Kind of fault, such as `invalid_lastmod`" }),
  count: Schema.Int.annotations({ description: "How often the file has it" }),
  detail: Schema.NullOr(Schema.String).annotations({
    description: "What is wrong with the first of them, or its value; null where the kind says it all"
  }),
  line: Schema.optionalWith(Schema.Int, { exact: true }).annotations({
    description: "Line of the first of them, from 1; absent where it is not known"
  }),
  column: Schema.optionalWith(Schema.Int, { exact: true }).annotations({
    description: "Column of the first of them, from 1; absent where it is not known"
  }),
  text: Schema.optionalWith(Schema.String, { exact: true }).annotations({
    description:
      "Text of that line around the fault, user names and passwords left out; absent where there is none to show"
  })
}).annotations({ identifier: "SitemapProblem", description: "A kind of fault of a sitemap file" })

export const SitemapFile = Schema.Struct({
  url: Schema.String.annotations({ description: "Address of the file" }),
  state: Schema.Literal("read", "absent", "unreachable", "blocked_by_robots", "unreadable", "skipped").annotations({
    description: "What became of it; `skipped`: it is on another site, or beyond the limit of files"
  }),
  kind: Schema.NullOr(Schema.Literal("index", "urls")).annotations({
    description: "Whether it lists sitemaps or pages; null when it could not be read"
  }),
  urls: Schema.Int.annotations({ description: "Addresses that it lists" }),
  problems: Schema.Array(SitemapProblem).annotations({
    description: "What is wrong in it, one entry for each kind of fault"
  })
}).annotations({ identifier: "SitemapFile", description: "One sitemap file" })
export type SitemapFile = typeof SitemapFile.Type

/** `complete` when every file named was read to its end, `absent` when there is none. */
export const SitemapSummary = Schema.Struct({
  state: Schema.Literal("complete", "partial", "absent", "unreadable", "not_read").annotations({
    description: "`complete`: every file was read to its end; `absent`: there is none"
  }),
  urls: Schema.Int.annotations({ description: "Distinct addresses of the site that they list" }),
  foreign_urls: Schema.Int.annotations({
    description: "Addresses of other sites that they list; these are not crawled"
  }),
  files: Schema.Array(SitemapFile).annotations({ description: "Every sitemap file in the order of reading" })
}).annotations({ identifier: "SitemapSummary", description: "The sitemaps of the site" })
export type SitemapSummary = typeof SitemapSummary.Type

const Exclusion = Schema.Struct({
  reason: field(HealthReason, "Why they are excluded"),
  count: Schema.Int.annotations({ description: "URLs with this reason" }),
  example_url: Schema.String.annotations({ description: "The first of them" })
}).annotations({ identifier: "SiteHealthExclusion", description: "URLs that are excluded for one reason" })

export const Inventory = Schema.Struct({
  eligible: Schema.Int.annotations({ description: "Pages that may appear in search" }),
  excluded: Schema.Int.annotations({ description: "URLs that may not, or of which nothing can be said" }),
  reasons: Schema.Array(Exclusion).annotations({ description: "Why URLs are excluded, one entry for each reason" })
}).annotations({ identifier: "SiteHealthInventory", description: "How many pages may appear in search" })
export type Inventory = typeof Inventory.Type

/** A page of the site that answers 4xx or 5xx, confirmed by a second GET. */
export const DeadLink = Schema.Struct({
  url: Schema.String.annotations({ description: "Address that links lead to" }),
  http_status: Schema.Int.annotations({ description: "Status that was confirmed" }),
  linked_from: Schema.Array(Schema.String).annotations({ description: "The first ten pages that link to it" }),
  all_linked_from: Schema.Array(Schema.String).annotations({
    description: "Every page that links to it, directly or through redirects"
  }),
  anchor_text: Schema.NullOr(Schema.String).annotations({
    description: "Text of the first link to it; null when only a sitemap or a canonical names it"
  }),
  attempts: Schema.Array(Attempt).annotations({ description: "The requests that confirm it" })
}).annotations({ identifier: "DeadLink", description: "A page that answers 4xx or 5xx, confirmed by a second GET" })
export type DeadLink = typeof DeadLink.Type

export const DeadLinks = Schema.Struct({
  state: Schema.Literal("disabled", "unavailable", "complete", "partial").annotations({
    description:
      "`disabled`: not asked for; `unavailable`: no URL was requested; `partial`: the run did not see every link"
  }),
  checked: Schema.Int.annotations({ description: "Addresses with an answer that settles the matter" }),
  found: Schema.Int.annotations({ description: "Addresses that are dead" }),
  unverified: Schema.Int.annotations({
    description:
      "Addresses that gave no settled answer, such as a time-out, 429 or a bot challenge; never counted as dead"
  }),
  items: Schema.Array(DeadLink).annotations({ description: "The dead ones" })
}).annotations({ identifier: "DeadLinks", description: "Check of where links lead" })
export type DeadLinks = typeof DeadLinks.Type

/** When and by what a site was crawled. */
export const CrawlRecord = Schema.Struct({
  started_at: Schema.String.annotations({ description: "Start of the crawl, ISO 8601 in UTC" }),
  duration_ms: Schema.Int.annotations({ description: "Duration of the crawl in milliseconds" }),
  version: Schema.String.annotations({ description: "Version of Findable" }),
  user_agent: Schema.String.annotations({ description: "`User-Agent` that requests had" })
}).annotations({ identifier: "CrawlRecord", description: "When and by what a site was crawled" })
export type CrawlRecord = typeof CrawlRecord.Type

export const Summary = Schema.Struct({
  crawl: field(CrawlRecord, "When and by what"),
  complete: Schema.Boolean.annotations({
    description: "Whether the run saw every page that it met: no limit ended it"
  }),
  termination: field(Termination, "What ended the crawl"),
  pages: field(
    Schema.Struct({
      discovered: Schema.Int.annotations({ description: "URLs that the run met" }),
      fetched: Schema.Int.annotations({ description: "URLs that answered" }),
      failed: Schema.Int.annotations({ description: "URLs that were requested and gave no answer" }),
      skipped: Schema.Int.annotations({ description: "URLs that were never requested" })
    }).annotations({ identifier: "SiteHealthPageCounts", description: "URLs that a run met" }),
    "URLs that the run met: `discovered` = `fetched` + `failed` + `skipped`"
  ),
  robots: field(RobotsSummary, "robots.txt of the start origin"),
  sitemap: field(SitemapSummary, "The sitemaps"),
  inventory: field(Inventory, "How many pages may appear in search"),
  dead_links: field(DeadLinks, "Links that lead to pages of the site that are gone"),
  external_links: field(DeadLinks, "The same of links to other sites, if `check_external_links` was set"),
  limits: field(Limits, "Limits of the run, and what they left out")
}).annotations({ identifier: "SiteHealthSummary", description: "What was crawled, and how far" })
export type Summary = typeof Summary.Type

export const VerifyVerdict = Schema.Literal("fixed", "still_failing", "not_assessable").annotations({
  identifier: "VerifyVerdict",
  description: "`fixed`: requested, judged, and it passes. `not_assessable`: it could not be judged; `detail` says why"
})
export type VerifyVerdict = typeof VerifyVerdict.Type

/** What became of one fault: a rule on a URL that failed in an earlier run. */
export const Verification = Schema.Struct({
  rule: Schema.String.annotations({ description: "Id of the rule that failed" }),
  url: Schema.String.annotations({ description: "URL on which it failed" }),
  verdict: field(VerifyVerdict, "What is true now"),
  detail: Schema.String.annotations({
    description: "What is seen now, or why nothing can be said; empty where the verdict says it all"
  })
}).annotations({
  identifier: "SiteHealthVerification",
  description: "What became of one fault, a rule on a URL that failed in an earlier run"
})
export type Verification = typeof Verification.Type

/** The whole result of a crawl: one declaration for HTTP answers, storage and webhook payloads. */
export const CrawlResult = Schema.Struct({
  summary: field(Summary, "What was crawled and how far: robots.txt, sitemaps, dead links, limits"),
  pages: Schema.Array(MeasuredPage).annotations({
    description: "Every URL that the run met, reached or not, in the order in which it met them"
  }),
  findings: Schema.Array(Finding).annotations({ description: "One for each rule of the catalogue, in its order" }),
  score: field(
    AnyScore,
    "Score of the site; results that were stored by an earlier version keep the score of that version"
  ),
  verification: Schema.optionalWith(Schema.Array(Verification), { exact: true }).annotations({
    description: "What became of the faults of the run that this one verifies; absent in other results"
  })
}).annotations({ identifier: "SiteHealthResult", description: "The whole result of a crawl" })
export type CrawlResult = typeof CrawlResult.Type

/** Progress of a running crawl; `pages_fetched` answered, `pages_failed` gave no answer. */
export const Counters = Schema.Struct({
  pages_discovered: Schema.Int.annotations({ description: "URLs that the run has met" }),
  pages_fetched: Schema.Int.annotations({ description: "URLs that answered" }),
  pages_failed: Schema.Int.annotations({ description: "URLs that gave no answer" })
}).annotations({ identifier: "SiteHealthCounters", description: "Progress of a run" })
export type Counters = typeof Counters.Type

/** The start page could not be reached, refused the crawler, leads to another site, or the crawl itself broke: there is no report. */
export class CrawlFailed extends Data.TaggedError("CrawlFailed")<{
  readonly code: "start_unreachable" | "start_refused" | "start_redirects_offsite" | "crawl_failed"
  readonly message: string
}> {}

/** An event of a running crawl; a page's states are provisional until the report, which sees the whole site. */
export type CrawlEvent =
  | { readonly _tag: "Phase"; readonly phase: "preparing" | "crawling" | "analysing" }
  | { readonly _tag: "Page"; readonly page: MeasuredPage; readonly counters: Counters }
  | { readonly _tag: "Finished"; readonly report: CrawlResult }

/** Short summary of a crawl that ended with a result: the `outcome` of its event. */
export const CrawlOutcome = Schema.Struct({
  status: Schema.Literal("completed", "partial").annotations({
    description: "`partial`: a limit ended the crawl before it had seen every page"
  }),
  termination: field(Termination, "What ended the crawl"),
  aggregate_score: Schema.NullOr(Schema.Number.pipe(Schema.between(0, 100))).annotations({
    description: "Score from 0 to 100; null when nothing could be measured"
  }),
  pages_fetched: Schema.NonNegativeInt.annotations({ description: "URLs that answered" }),
  pages_failed: Schema.NonNegativeInt.annotations({ description: "URLs that gave no answer" }),
  dead_links_found: Schema.NullOr(Schema.NonNegativeInt).annotations({
    description:
      "URLs of the site that answer 4xx or 5xx, confirmed by a second request; null when dead links were not checked"
  })
})
export type CrawlOutcome = typeof CrawlOutcome.Type

export const outcomeOf = ({ score, summary }: CrawlResult): CrawlOutcome => ({
  status: summary.termination === "complete" ? "completed" : "partial",
  termination: summary.termination,
  aggregate_score: score.aggregate_score,
  pages_fetched: summary.pages.fetched,
  pages_failed: summary.pages.failed,
  dead_links_found: ["disabled", "unavailable"].includes(summary.dead_links.state) ? null : summary.dead_links.found
})
