import * as Schema from "effect/Schema"
import { Attempt, RobotsLine } from "./MeasuredPage.ts"
import { HealthReason, Termination } from "./States.ts"

/** The robots.txt of the start origin: `unknown` means the run ended before it answered. */
export const RobotsState = Schema.Literal("parsed", "absent", "unreachable", "unknown")
export type RobotsState = typeof RobotsState.Type

/** What robots.txt lets one agent read; a page is every URL that did not prove to be a redirect, an error, a file, or an address that acts. */
export const AgentSummary = Schema.Struct({
  agent: Schema.String,
  allowed_pages: Schema.Int,
  blocked_pages: Schema.Int,
  start_allowed: Schema.Boolean,
  /** The line that decides about the start page; null when none does. */
  line: Schema.NullOr(RobotsLine)
})
export type AgentSummary = typeof AgentSummary.Type

export const RobotsSummary = Schema.Struct({
  state: RobotsState,
  url: Schema.String,
  http_status: Schema.NullOr(Schema.Int),
  /** The group that addresses FindableBot, as written (`*` for the default group); null when none does. */
  group: Schema.NullOr(Schema.String),
  crawl_delay_seconds: Schema.NullOr(Schema.Number),
  /** How many requests the delay leaves room for within the run's time; null without a delay. */
  crawl_delay_allows: Schema.NullOr(Schema.Int),
  /** Longer than 500 KiB: only the first part was read (RFC 9309 §2.5). */
  truncated: Schema.Boolean,
  sitemaps: Schema.Int,
  /** Search engines and AI companies; empty when the run ended before robots.txt answered, absent in results that were stored before it was kept. */
  agents: Schema.optionalWith(Schema.Array(AgentSummary), { exact: true })
})
export type RobotsSummary = typeof RobotsSummary.Type

export const SitemapFile = Schema.Struct({
  url: Schema.String,
  state: Schema.Literal("read", "absent", "unreachable", "blocked_by_robots", "unreadable", "skipped"),
  kind: Schema.NullOr(Schema.Literal("index", "urls")),
  urls: Schema.Int,
  problems: Schema.Array(
    Schema.Struct({ kind: Schema.String, count: Schema.Int, detail: Schema.NullOr(Schema.String) })
  )
})
export type SitemapFile = typeof SitemapFile.Type

/** `complete` when every file named was read to its end, `absent` when there is none. */
export const SitemapSummary = Schema.Struct({
  state: Schema.Literal("complete", "partial", "absent", "unreadable", "not_read"),
  urls: Schema.Int,
  foreign_urls: Schema.Int,
  files: Schema.Array(SitemapFile)
})
export type SitemapSummary = typeof SitemapSummary.Type

export const Inventory = Schema.Struct({
  eligible: Schema.Int,
  excluded: Schema.Int,
  reasons: Schema.Array(Schema.Struct({ reason: HealthReason, count: Schema.Int, example_url: Schema.String }))
})
export type Inventory = typeof Inventory.Type

/** A page of the site that answers 4xx or 5xx, confirmed by a second GET. */
export const DeadLink = Schema.Struct({
  url: Schema.String,
  http_status: Schema.Int,
  /** The first ten pages that link to it. */
  linked_from: Schema.Array(Schema.String),
  /** Every page read that links to it, directly or through redirects; absent in results that were stored before it was kept. */
  all_linked_from: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }),
  /** Text of the first link to it; null when only a sitemap or a canonical names it. */
  anchor_text: Schema.NullOr(Schema.String),
  attempts: Schema.Array(Attempt)
})
export type DeadLink = typeof DeadLink.Type

export const DeadLinks = Schema.Struct({
  state: Schema.Literal("disabled", "unavailable", "complete", "partial"),
  checked: Schema.Int,
  found: Schema.Int,
  unverified: Schema.Int,
  items: Schema.Array(DeadLink)
})
export type DeadLinks = typeof DeadLinks.Type

/** URLs the trap guard put last or left out, by reason. */
const TrapSkip = Schema.Struct({
  reason: Schema.Literal("pattern_share", "repeated_segments", "query_permutation", "facets", "session_id", "calendar"),
  pattern: Schema.String,
  count: Schema.Int,
  example_url: Schema.String
})

/** When and by what a site was crawled. */
export const CrawlRecord = Schema.Struct({
  /** ISO 8601, UTC. */
  started_at: Schema.String,
  duration_ms: Schema.Int,
  version: Schema.String,
  user_agent: Schema.String
})
export type CrawlRecord = typeof CrawlRecord.Type

export const Summary = Schema.Struct({
  /** Absent in results that were stored before it was kept. */
  crawl: Schema.optionalWith(CrawlRecord, { exact: true }),
  complete: Schema.Boolean,
  termination: Termination,
  /** `discovered = fetched + failed + skipped`: answered, requested without an answer, never requested. */
  pages: Schema.Struct({
    discovered: Schema.Int,
    fetched: Schema.Int,
    failed: Schema.Int,
    skipped: Schema.Int
  }),
  robots: RobotsSummary,
  sitemap: SitemapSummary,
  inventory: Inventory,
  dead_links: DeadLinks,
  /** Pages of other sites that links lead to, those that turn crawlers away among the unverified ones; absent in results that were stored before it was kept. */
  external_links: Schema.optionalWith(DeadLinks, { exact: true }),
  limits: Schema.Struct({
    max_pages: Schema.Int,
    deadline_seconds: Schema.Number,
    /** Of the URLs met, those above the cap of entries, which `pages` does not list. */
    unlisted_urls: Schema.Int,
    traps: Schema.Array(TrapSkip)
  })
})
export type Summary = typeof Summary.Type
