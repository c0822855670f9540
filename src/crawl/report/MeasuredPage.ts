import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Scalars.ts"
import { PageRendering } from "./Rendering.ts"

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

/** Whether a search engine may index the URL, by its current response. */
export const IndexabilityState = Schema.Literal(
  "indexable",
  "noindex",
  "canonicalised",
  "blocked_by_robots",
  "not_indexable",
  "unknown"
).annotations({
  identifier: "IndexabilityState",
  description: "Whether a search engine may index the URL as it responds now; `unknown` without a response"
})
export type IndexabilityState = typeof IndexabilityState.Type

/** The health state of a URL; the order of precedence is unchecked, failed, redirect, hidden, eligible. */
export const HealthState = Schema.Literal("eligible", "hidden", "redirect", "failed", "unchecked").annotations({
  identifier: "HealthState",
  description: "Status of a URL: `eligible` (indexable), `hidden` from search, a `redirect`, `failed`, or `unchecked`"
})
export type HealthState = typeof HealthState.Type

/** Why a URL has its health state; `healthStateOf` maps each reason to one state. */
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
  description: "Reason for the status of a URL; each reason belongs to one status"
})
export type HealthReason = typeof HealthReason.Type

/** The reason for the end of the crawl: no URL left, the page limit, or the time limit. */
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

/** Whether a reason leaves the page's content open. Non-HTML files, URLs that act and excluded URLs are not open: they are no pages of the crawl. */
export const isOpen = (reason: HealthReason): boolean =>
  healthStateOf[reason] === "unchecked" && !["action_link", "excluded", "not_html"].includes(reason)

/** Why an exchange brought no HTTP response. */
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
  description: "Why a request got no HTTP response; `blocked_…`: Findable does not send requests to that URL"
})
export type NoAnswerCause = typeof NoAnswerCause.Type

/** One GET: its status, or why it has none. */
export const Attempt = Schema.Struct({
  http_status: Schema.NullOr(Schema.Int).annotations({ description: "Status of the response; null without one" }),
  cause: Schema.NullOr(NoAnswerCause).annotations({ description: "Why there was no response; null if there was one" })
}).annotations({ identifier: "CrawlAttempt", description: "One GET of a URL" })
export type Attempt = typeof Attempt.Type

/** The robots.txt line that decided about a URL, with its 1-based number and its group. */
export const RobotsLine = Schema.Struct({
  line: Schema.Int.annotations({ description: "Number of the line, from 1" }),
  text: Schema.String.annotations({ description: "The line as the file has it" }),
  group: Schema.String.annotations({
    description: "User agent of the group that contains the line; `*` for the default group"
  }),
  joined: Schema.optionalWith(Schema.String, { exact: true }).annotations({
    description:
      "Explanation if other lines, such as Crawl-delay or Sitemap, stand between the user agents of the group and do not end it; absent otherwise"
  })
}).annotations({ identifier: "RobotsLine", description: "The robots.txt line that applies to a URL" })
export type RobotsLine = typeof RobotsLine.Type

/** Evidence for a verdict. */
export const PageEvidence = Schema.Struct({
  attempts: Schema.Array(Attempt).annotations({
    description: "Every GET of the URL in order; a broken page has at least two"
  }),
  redirect_chain: Schema.Array(Schema.String).annotations({
    description: "Where a redirect leads, hop by hop, as far as the crawl followed it"
  }),
  also: Schema.Array(HealthReason).annotations({
    description: "Further reasons that apply, with lower priority than `health_reason`"
  }),
  robots_line: Schema.NullOr(RobotsLine).annotations({
    description: "The robots.txt line that applies; null if none does"
  }),
  note: Schema.NullOr(Schema.String).annotations({
    description: "Remarks, such as the signals of a soft 404; null without any"
  })
}).annotations({ identifier: "SiteHealthPageEvidence", description: "Details of the status of a URL" })
export type PageEvidence = typeof PageEvidence.Type

/** One URL that the crawl met, reached or not. */
export const MeasuredPage = Schema.Struct({
  url: Schema.String.annotations({ description: "Absolute URL without fragment" }),
  depth: Schema.NullOr(Schema.Int).annotations({
    description:
      "Clicks from the start page (crawl depth); null without a path of links, such as for URLs found only in a sitemap, canonical or hreflang"
  }),
  http_status: Schema.NullOr(Schema.Int).annotations({
    description: "Status of the last response; null without one"
  }),
  fetch_state: field(FetchState, "Outcome of requesting the URL"),
  // Beside a field with a default, only fields with a key keep their text in the OpenAPI document.
  indexability_state: field(IndexabilityState, "Whether a search engine may index it as it responds now").pipe(
    Schema.fromKey("indexability_state")
  ),
  health_state: field(HealthState, "Status of the URL").pipe(Schema.fromKey("health_state")),
  health_reason: field(HealthReason, "Reason for this status").pipe(Schema.fromKey("health_reason")),
  title: Schema.NullOr(Schema.String).annotations({
    description: "Text of the title; null if there is none or the page was not crawled"
  }),
  h1: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null, exact: true }).annotations({
    description: "Text of the first h1; null if there is none or the page was not crawled"
  }),
  words: Schema.optionalWith(Schema.Int, { default: () => 0, exact: true }).annotations({
    description: "Words of its text; 0 if the page was not crawled"
  }),
  canonical_url: Schema.NullOr(Schema.String).annotations({
    description: "Absolute URL of its canonical; null without one"
  }),
  redirect_to: Schema.NullOr(Schema.String).annotations({
    description: "Redirect target; null if it does not redirect"
  }),
  response_ms: Schema.NullOr(Schema.Number).annotations({
    description: "Milliseconds from the request to the last byte of the response; null without one"
  }),
  content_bytes: Schema.NullOr(Schema.Int).annotations({
    description: "Decoded bytes of the body; if it was not downloaded its Content-Length, null without one"
  }),
  linked_from_count: Schema.Int.annotations({ description: "Crawled pages that link here" }),
  evidence: Schema.NullOr(PageEvidence).annotations({
    description: "Details of the status; null if nothing was requested"
  }),
  rendering: Schema.optionalWith(Schema.NullOr(PageRendering), { default: () => null, exact: true }).annotations({
    description: "What became of its scripts; null if it runs none or was not crawled"
  })
}).annotations({ identifier: "SiteHealthPage", description: "One URL that the crawl found, fetched or not" })
export type MeasuredPage = typeof MeasuredPage.Type
