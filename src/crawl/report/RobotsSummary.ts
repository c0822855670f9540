import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Field.ts"
import { RobotsLine } from "./MeasuredPage.ts"

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
  sitemaps: Schema.Int.annotations({ description: "Sitemaps that it names" }),
  agents: Schema.Array(AgentSummary).annotations({
    description: "What search engines and AI companies may read; empty when robots.txt never answered"
  })
}).annotations({ identifier: "RobotsSummary", description: "robots.txt of the start origin" })
export type RobotsSummary = typeof RobotsSummary.Type
