/** The labels of states and reasons in all reports and in the console, where JSON has its codes. No schema is loaded for them. */
import type { RobotsState, SitemapSummary } from "./CrawlResult.ts"
import type { Effort } from "./Finding.ts"
import type { FetchState, HealthReason, HealthState, IndexabilityState } from "./MeasuredPage.ts"
import type { RenderingOffReason, RenderingReason } from "./Rendering.ts"
import type { ScoreVerdict } from "./ScoreVerdict.ts"

/** Why a URL has its status. */
export const reasonWords: Readonly<Record<HealthReason, string>> = {
  ok: "indexable",
  noindex_meta: "noindex in a meta tag",
  noindex_header: "noindex in a header",
  canonical_elsewhere: "canonicalized to another page",
  canonical_variant: "variant, canonicalized to the main URL",
  blocked_by_robots: "blocked by robots.txt",
  redirect_permanent: "permanent redirect",
  redirect_temporary: "temporary redirect",
  redirect_loop: "redirect loop",
  redirect_offsite: "redirect to another site",
  http_4xx: "returns 4xx",
  http_5xx: "returns 5xx",
  soft_404: "soft 404",
  timed_out: "timed out",
  connection_failed: "connection failed",
  rate_limited: "rate limited",
  bot_challenge: "bot challenge",
  robots_unreachable: "robots.txt unreachable",
  not_html: "not an HTML page",
  too_large: "too large to crawl",
  limit_reached: "not crawled within the limits",
  blocked_for_us: "blocked for this crawler by robots.txt, allowed for search engines",
  action_link: "performs an action, such as adding to a cart: not requested",
  excluded: "excluded by the options"
}

/** The status of a URL. */
export const healthWords: Readonly<Record<HealthState, string>> = {
  eligible: "indexable",
  hidden: "hidden from search",
  redirect: "redirect",
  failed: "error",
  unchecked: "not checked"
}

/** Whether a search engine may index a URL. */
export const indexabilityWords: Readonly<Record<IndexabilityState, string>> = {
  indexable: "indexable",
  noindex: "noindex",
  canonicalised: "canonicalized",
  blocked_by_robots: "blocked by robots.txt",
  not_indexable: "not indexable",
  unknown: "unknown"
}

/** What became of the request of a URL. */
export const fetchWords: Readonly<Record<FetchState, string>> = {
  fetched: "crawled",
  redirected: "redirect",
  http_error: "error",
  timed_out: reasonWords.timed_out,
  connection_failed: reasonWords.connection_failed,
  blocked_by_robots: reasonWords.blocked_by_robots,
  not_html: reasonWords.not_html,
  too_large: reasonWords.too_large,
  not_fetched: "not requested"
}

/** The rating of a score, of a site or of one of its vitals. */
export const ratingWords = { good: "good", needs_improvement: "needs improvement", poor: "poor" } as const

/** The verdict on a crawl. */
export const verdictWords: Readonly<Record<ScoreVerdict, string>> = {
  ...ratingWords,
  needs_attention: "needs attention"
}

/** Where the fix of an issue is. */
export const effortWords: Readonly<Record<Effort, string>> = {
  site: "one fix for the whole site",
  template: "one fix in a template",
  pages: "a fix on each page"
}

/** What the crawl knows of robots.txt. */
export const robotsWords: Readonly<Record<RobotsState, string>> = {
  parsed: "found",
  absent: "not found",
  unreachable: "unreachable",
  unknown: "not fetched"
}

/** How much of the sitemaps was read. */
export const sitemapWords: Readonly<Record<SitemapSummary["state"], string>> = {
  complete: "found",
  partial: "read in part",
  absent: "not found",
  unreadable: "unreadable",
  not_read: "not fetched"
}

/** Why a page was not rendered, or why its rendering failed. */
export const renderingWords: Readonly<Record<RenderingReason, string>> = {
  blocked: "blocked by robots.txt",
  budget: "limit of the crawl reached",
  crashed: "the browser crashed",
  memory: "too much memory",
  no_browser: "no browser",
  noindex: "noindex page",
  not_200: "status is not 200",
  off: "turned off",
  reload: "the page reloads itself",
  template_same: "same template as a page without differences",
  time: "took too long",
  too_large: "too large"
}

/** Why a crawl renders nothing, and the remedy. */
export const renderingOffWords: Readonly<Record<RenderingOffReason, string>> = {
  no_browser:
    "no browser found. Install one (Debian: apt-get install chromium-headless-shell), or set CHROME_PATH to the program",
  no_sandbox: "the browser has no sandbox. Allow user namespaces, or set FINDABLE_RENDER=unsandboxed",
  no_shared_memory: "the browser has no shared memory. Mount /dev/shm (Docker: --shm-size=256m)",
  not_started: "the browser did not start. Run the command doctor to see why",
  off: "FINDABLE_RENDER is off. Set it to auto to render",
  wrong_path: "CHROME_PATH is not the path of a file. Correct it, or unset it"
}
