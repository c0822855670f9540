import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Field.ts"
import { Limits } from "./Limits.ts"
import { Attempt } from "./MeasuredPage.ts"
import { RobotsSummary } from "./RobotsSummary.ts"
import { HealthReason, Termination } from "./States.ts"

const SitemapProblem = Schema.Struct({
  kind: Schema.String.annotations({ description: "Kind of fault, such as `invalid_lastmod`" }),
  count: Schema.Int.annotations({ description: "How often the file has it" }),
  detail: Schema.NullOr(Schema.String).annotations({
    description: "Text of the file at the first of them; null where there is none to show"
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
