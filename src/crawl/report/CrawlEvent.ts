import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import type { CrawlResult } from "./CrawlResult.ts"
import type { MeasuredPage } from "./MeasuredPage.ts"

/** Progress of a running crawl; `pages_fetched` answered, `pages_failed` gave no answer. */
export const Counters = Schema.Struct({
  pages_discovered: Schema.Int.annotations({ description: "URLs that the run has met" }),
  pages_fetched: Schema.Int.annotations({ description: "URLs that answered" }),
  pages_failed: Schema.Int.annotations({ description: "URLs that gave no answer" })
}).annotations({ identifier: "SiteHealthCounters", description: "Progress of a run" })
export type Counters = typeof Counters.Type

/** The start page could not be reached, refused the crawler, leads to another site, or the crawl itself broke: there is no report. */
export class CrawlFailed extends Data.TaggedError("CrawlFailed")<{
  readonly code: "start_unreachable" | "start_refused" | "start_redirects_offsite" | "crawl_failed"
  readonly message: string
}> {}

/** An event of a running crawl; a page's states are provisional until the report, which sees the whole site. */
export type CrawlEvent =
  | { readonly _tag: "Phase"; readonly phase: "preparing" | "crawling" | "analysing" }
  | { readonly _tag: "Page"; readonly page: MeasuredPage; readonly counters: Counters }
  | { readonly _tag: "Finished"; readonly report: CrawlResult }
