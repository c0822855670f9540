import * as Schema from "effect/Schema"

/** The outcome of requesting the URL. */
export const FetchState = Schema.Literal(
  "fetched",
  "redirected",
  "http_error",
  "timed_out",
  "connection_failed",
  "blocked_by_robots",
  "not_html",
  "too_large",
  "not_fetched"
).annotations({
  identifier: "FetchState",
  description: "Outcome of requesting the URL; `not_fetched`: it was never requested"
})
export type FetchState = typeof FetchState.Type

/** Whether a search engine may index the URL as it answers now. */
export const IndexabilityState = Schema.Literal(
  "indexable",
  "noindex",
  "canonicalised",
  "blocked_by_robots",
  "not_indexable",
  "unknown"
).annotations({
  identifier: "IndexabilityState",
  description: "Whether a search engine may index the URL as it answers now; `unknown` without an answer"
})
export type IndexabilityState = typeof IndexabilityState.Type

/** The one verdict on a URL; the order of precedence is unchecked, failed, redirect, hidden, eligible. */
export const HealthState = Schema.Literal("eligible", "hidden", "redirect", "failed", "unchecked").annotations({
  identifier: "HealthState",
  description:
    "The one verdict on a URL: `eligible` for search, `hidden` from it, a `redirect`, `failed`, or `unchecked` where nothing can be said"
})
export type HealthState = typeof HealthState.Type

/** Why a URL has its health state; `healthStateOf` maps each reason to its one state. */
export const HealthReason = Schema.Literal(
  "ok",
  "noindex_meta",
  "noindex_header",
  "canonical_elsewhere",
  "canonical_variant",
  "blocked_by_robots",
  "redirect_permanent",
  "redirect_temporary",
  "redirect_loop",
  "redirect_offsite",
  "http_4xx",
  "http_5xx",
  "soft_404",
  "timed_out",
  "connection_failed",
  "rate_limited",
  "bot_challenge",
  "robots_unreachable",
  "not_html",
  "too_large",
  "limit_reached",
  "blocked_for_us",
  "action_link",
  "excluded"
).annotations({
  identifier: "HealthReason",
  description: "Why a URL has its health state; each reason belongs to one state"
})
export type HealthReason = typeof HealthReason.Type

/** What ended the crawl: nothing left to do, the page limit, or the wall clock. */
export const Termination = Schema.Literal("complete", "max-pages", "max-duration").annotations({
  identifier: "CrawlTermination",
  description: "What ended the crawl: nothing left to do, the page limit, or the time limit"
})
export type Termination = typeof Termination.Type

/** Each reason belongs to exactly one health state. */
export const healthStateOf: Readonly<Record<HealthReason, HealthState>> = {
  ok: "eligible",
  noindex_meta: "hidden",
  noindex_header: "hidden",
  canonical_elsewhere: "hidden",
  canonical_variant: "hidden",
  blocked_by_robots: "hidden",
  redirect_permanent: "redirect",
  redirect_temporary: "redirect",
  redirect_loop: "redirect",
  redirect_offsite: "redirect",
  http_4xx: "failed",
  http_5xx: "failed",
  soft_404: "failed",
  timed_out: "unchecked",
  connection_failed: "unchecked",
  rate_limited: "unchecked",
  bot_challenge: "unchecked",
  robots_unreachable: "unchecked",
  not_html: "unchecked",
  too_large: "unchecked",
  limit_reached: "unchecked",
  blocked_for_us: "unchecked",
  action_link: "unchecked",
  excluded: "unchecked"
}

/**
 * Whether a reason leaves open what a page would be: it may be anything. A file that is no HTML is no page to assess, an address that acts is none either, and
 * what the options leave out is none of the run's.
 */
export const isOpen = (reason: HealthReason): boolean =>
  healthStateOf[reason] === "unchecked" && !["action_link", "excluded", "not_html"].includes(reason)
