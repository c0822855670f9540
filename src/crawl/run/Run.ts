import type * as Deferred from "effect/Deferred"
import type { CookieJar } from "../fetch/CookieJar.ts"
import type { CrawlTiming } from "../fetch/Timing.ts"
import type { Frontier } from "../frontier/Frontier.ts"
import type { UrlRecord } from "../frontier/UrlRecord.ts"
import type { PagePart } from "../page/Resources.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import type { Counters } from "../report/CrawlEvent.ts"
import type { SoftProbe } from "../visit/Probe.ts"
import type { SitemapReading } from "../visit/SitemapWalk.ts"
import type { Visit } from "../visit/Visit.ts"
import type { Visitor } from "../visit/Visitor.ts"
import type { Checks } from "./Checks.ts"
import type { RunOptions } from "./RunOptions.ts"
import type { Shared } from "./Shared.ts"
import type { SharedLinks } from "./SharedLinks.ts"

/** One crawl while it runs: what it may use, and what it has found so far. A deadline may stop it between any two steps. */
export interface Run extends Visitor {
  readonly options: RunOptions
  readonly timing: CrawlTiming
  readonly now: number
  readonly deadlineMillis: number
  /** Epoch ms. */
  readonly deadlineAt: number
  readonly frontier: Frontier
  readonly links: SharedLinks
  readonly parts: Shared<PagePart>
  readonly found: Found
}

/** A URL whose visit is under way. */
export interface PendingVisit {
  readonly record: UrlRecord
  readonly visited: Deferred.Deferred<Visit, OutOfTime>
}

/** The mutable part: written by the engine's in-order steps alone. */
interface Found {
  /** The URL that the run was given, then the page that its redirects end at. */
  start: URL
  jar: CookieJar
  /** URLs requested, which `maxPages` bounds. */
  asked: number
  answered: number
  failed: number
  sitemap: SitemapReading | null
  probe: SoftProbe | null
  /** Images, styles and scripts of its pages, and links to other sites, that were asked for; null before their turn. */
  parts: Checks | null
  externalLinks: Checks | null
  /** Suspected soft 404 pages that were fetched again: the signs of those that showed them twice, null for the others. */
  readonly soft: Map<string, string | null>
  /** What URLs answered to the cookies that a redirect on the way to them set. */
  readonly withCookies: Map<string, Visit>
  /** Steps left for comparing URLs that had no turn with robots.txt. */
  steps: number
  /** Cache of those verdicts. */
  readonly judged: Map<string, Visit>
  /** Visits begun and not yet read, in the order in which they were begun. */
  readonly underway: Array<PendingVisit>
  /** The host asked for a pause that ends after the deadline. */
  paused: boolean
  /** The engine stopped because no request can start any more within the time. */
  outOfTime: boolean
  /** Every page had its turn: what a deadline cuts off from now on is no page. */
  hasSeenPages: boolean
}

/** Notes that no request can start any more within the time. */
export const runOut = ({ found }: Run, reason: OutOfTime["reason"]): void => {
  found.outOfTime = true
  found.paused ||= reason === "paused"
}

export const countersOf = ({ found, frontier }: Run): Counters => ({
  pages_discovered: frontier.discovered(),
  pages_fetched: found.answered,
  pages_failed: found.failed
})
