import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Scalars.ts"

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

/** Why an exchange brought no HTTP answer. */
export const NoAnswerCause = Schema.Literal(
  "timeout",
  "dns",
  "connect",
  "tls",
  "reset",
  "protocol",
  "blocked_address",
  "blocked_url"
).annotations({
  identifier: "NoAnswerCause",
  description: "Why a request brought no HTTP answer; `blocked_…`: this installation does not request that address"
})
export type NoAnswerCause = typeof NoAnswerCause.Type

/** One GET: the status it brought, or why it brought none. */
export const Attempt = Schema.Struct({
  http_status: Schema.NullOr(Schema.Int).annotations({ description: "Status of the answer; null when none came" }),
  cause: Schema.NullOr(NoAnswerCause).annotations({ description: "Why no answer came; null when one did" })
}).annotations({ identifier: "CrawlAttempt", description: "One GET of a URL" })
export type Attempt = typeof Attempt.Type

/** The robots.txt line that decided about a URL, with its 1-based number and the group it stands in. */
export const RobotsLine = Schema.Struct({
  line: Schema.Int.annotations({ description: "Number of the line, from 1" }),
  text: Schema.String.annotations({ description: "The line as the file has it" }),
  group: Schema.String.annotations({
    description: "User agent of the group that the line stands in; `*` for the default one"
  }),
  joined: Schema.optionalWith(Schema.String, { exact: true }).annotations({
    description:
      "How the group came about, in words, where its agents have other lines between them, such as Crawl-delay or Sitemap, which end no group; absent on all other lines"
  })
}).annotations({ identifier: "RobotsLine", description: "The line of robots.txt that decided about a URL" })
export type RobotsLine = typeof RobotsLine.Type

/** What a verdict rests on. */
export const PageEvidence = Schema.Struct({
  attempts: Schema.Array(Attempt).annotations({
    description: "Every GET of the URL in order; a dead page has at least two"
  }),
  redirect_chain: Schema.Array(Schema.String).annotations({
    description: "Where a redirect leads, hop by hop, as far as the run followed it"
  }),
  also: Schema.Array(HealthReason).annotations({
    description: "Reasons that hold as well, and come after `health_reason` in the order of verdicts"
  }),
  robots_line: Schema.NullOr(RobotsLine).annotations({
    description: "The line of robots.txt that decided; null when none did"
  }),
  note: Schema.NullOr(Schema.String).annotations({
    description: "Signals or remarks in words, such as those of a soft 404; null when the fields say it all"
  })
}).annotations({ identifier: "SiteHealthPageEvidence", description: "What the verdict on a URL rests on" })
export type PageEvidence = typeof PageEvidence.Type

/** One URL the run met, reached or not. */
export const MeasuredPage = Schema.Struct({
  url: Schema.String.annotations({ description: "Absolute URL without fragment" }),
  depth: Schema.NullOr(Schema.Int).annotations({
    description:
      "Clicks from the start page; null when no path of links is known, as for URLs that only a sitemap, canonical or hreflang names"
  }),
  http_status: Schema.NullOr(Schema.Int).annotations({
    description: "Status of the deciding answer; null when none came"
  }),
  fetch_state: field(FetchState, "Outcome of requesting the URL"),
  indexability_state: field(IndexabilityState, "Whether a search engine may index it as it answers now"),
  health_state: field(HealthState, "The one verdict on the URL"),
  health_reason: field(HealthReason, "Why it has this verdict"),
  title: Schema.NullOr(Schema.String).annotations({
    description: "Text of the title; null when there is none or the page was not read"
  }),
  canonical_url: Schema.NullOr(Schema.String).annotations({
    description: "Absolute URL of its canonical link; null when it names none"
  }),
  redirect_to: Schema.NullOr(Schema.String).annotations({
    description: "Where it redirects to; null when it does not"
  }),
  response_ms: Schema.NullOr(Schema.Number).annotations({
    description: "Milliseconds from the request to the last byte of the deciding answer; null without one"
  }),
  content_bytes: Schema.NullOr(Schema.Int).annotations({
    description: "Decoded bytes that were read; of a body left unread its Content-Length, null without one"
  }),
  linked_from_count: Schema.Int.annotations({ description: "Pages of the run that link here" }),
  evidence: Schema.NullOr(PageEvidence).annotations({
    description: "What the verdict rests on; null when nothing was requested and no rule decided"
  })
}).annotations({ identifier: "SiteHealthPage", description: "One URL that the run met, reached or not" })
export type MeasuredPage = typeof MeasuredPage.Type
