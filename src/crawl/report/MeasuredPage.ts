import * as Schema from "effect/Schema"
import { FetchState, HealthReason, HealthState, IndexabilityState } from "./States.ts"

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
)
export type NoAnswerCause = typeof NoAnswerCause.Type

/** One GET: the status it brought, or why it brought none. */
export const Attempt = Schema.Struct({
  http_status: Schema.NullOr(Schema.Int),
  cause: Schema.NullOr(NoAnswerCause)
})
export type Attempt = typeof Attempt.Type

/** The robots.txt line that decided about a URL, with its 1-based number and the group it stands in. */
export const RobotsLine = Schema.Struct({ line: Schema.Int, text: Schema.String, group: Schema.String })
export type RobotsLine = typeof RobotsLine.Type

/** What a verdict rests on. */
export const PageEvidence = Schema.Struct({
  /** Every GET of this URL in order: a dead page has at least two. */
  attempts: Schema.Array(Attempt),
  /** Where a redirect leads, hop by hop, as far as the run followed it. */
  redirect_chain: Schema.Array(Schema.String),
  /** Reasons that hold as well but came after the first in the order of verdicts. */
  also: Schema.Array(HealthReason),
  robots_line: Schema.NullOr(RobotsLine),
  /** Signals or remarks in words, such as those of a soft 404; null when the fields say it all. */
  note: Schema.NullOr(Schema.String)
})
export type PageEvidence = typeof PageEvidence.Type

/** One URL the run met, reached or not. */
export const MeasuredPage = Schema.Struct({
  url: Schema.String,
  /** Clicks from the start page; null when no link path is known (sitemap, canonical and hreflang targets). */
  depth: Schema.NullOr(Schema.Int),
  http_status: Schema.NullOr(Schema.Int),
  fetch_state: FetchState,
  indexability_state: IndexabilityState,
  health_state: HealthState,
  health_reason: HealthReason,
  title: Schema.NullOr(Schema.String),
  canonical_url: Schema.NullOr(Schema.String),
  redirect_to: Schema.NullOr(Schema.String),
  /** Milliseconds from the request to the last byte of the deciding answer. */
  response_ms: Schema.NullOr(Schema.Number),
  /** Decoded bytes read; of a body that was left unread, its Content-Length, and null without one. */
  content_bytes: Schema.NullOr(Schema.Int),
  /** Distinct pages of the run that link here. */
  linked_from_count: Schema.Int,
  /** Null when nothing was asked and no rule decided. */
  evidence: Schema.NullOr(PageEvidence)
})
export type MeasuredPage = typeof MeasuredPage.Type
