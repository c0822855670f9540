import * as Schema from "effect/Schema"
import { field } from "../../foundation/schema/Field.ts"
import type { CrawlResult } from "./CrawlResult.ts"
import { Termination } from "./States.ts"

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
