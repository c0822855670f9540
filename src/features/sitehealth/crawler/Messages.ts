import * as Schema from "effect/Schema"
import { Counters } from "../../../crawl/report/Counters.ts"
import { CrawlResult } from "../../../crawl/report/CrawlResult.ts"
import { MeasuredPage } from "../../../crawl/report/MeasuredPage.ts"

/** What is to be crawled, as the crawl's process reads it: the first line of its standard input. */
export const CrawlJob = Schema.Struct({
  url: Schema.String,
  max_pages: Schema.Int,
  check_dead_links: Schema.Boolean,
  seconds: Schema.Number,
  /** Page that explains the crawler, to be named in its user agent. */
  crawler_url: Schema.NullOr(Schema.URL),
  /** The part of the site that is looked at; all of it when absent. */
  only: Schema.optionalWith(
    Schema.Struct({ urls: Schema.Array(Schema.String), linksOf: Schema.Array(Schema.String) }),
    { exact: true }
  )
})
export type CrawlJob = typeof CrawlJob.Type

const code = Schema.Literal("start_unreachable", "start_refused", "start_redirects_offsite", "crawl_failed")

/**
 * What the process tells, a line each. The pages of the report come one by one before the rest of it, so that who reads never has more than one of them to
 * decode at a time.
 */
export const Told = Schema.Union(
  Schema.TaggedStruct("Phase", { phase: Schema.Literal("preparing", "crawling", "analysing") }),
  Schema.TaggedStruct("Page", { page: MeasuredPage, counters: Counters }),
  Schema.TaggedStruct("Entry", { page: MeasuredPage }),
  Schema.TaggedStruct("Finished", { report: CrawlResult }),
  Schema.TaggedStruct("Failed", { code, message: Schema.String })
)
export type Told = typeof Told.Type

export const JobLine = Schema.parseJson(CrawlJob)
export const ToldLine = Schema.parseJson(Told)
