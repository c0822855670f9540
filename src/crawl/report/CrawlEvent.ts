import type { Counters } from "./Counters.ts"
import type { CrawlResult } from "./CrawlResult.ts"
import type { MeasuredPage } from "./MeasuredPage.ts"

/** An event of a running crawl; a page's states are provisional until the report, which sees the whole site. */
export type CrawlEvent =
  | { readonly _tag: "Phase"; readonly phase: "preparing" | "crawling" | "analysing" }
  | { readonly _tag: "Page"; readonly page: MeasuredPage; readonly counters: Counters }
  | { readonly _tag: "Finished"; readonly report: CrawlResult }
