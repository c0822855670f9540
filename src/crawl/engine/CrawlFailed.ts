import * as Data from "effect/Data"

/** The start page could not be reached, refused the crawler, leads to another site, or the crawl itself broke: there is no report. */
export class CrawlFailed extends Data.TaggedError("CrawlFailed")<{
  readonly code: "start_unreachable" | "start_refused" | "start_redirects_offsite" | "crawl_failed"
  readonly message: string
}> {}
