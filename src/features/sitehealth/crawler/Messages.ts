import * as Schema from "effect/Schema"
import type { CrawlOptions } from "../../../crawl/Crawl.ts"
import { Counters } from "../../../crawl/report/CrawlEvent.ts"
import { CrawlResult } from "../../../crawl/report/CrawlResult.ts"
import { MeasuredPage } from "../../../crawl/report/MeasuredPage.ts"

/** The job of a crawl's process: the first line of its standard input. */
export const CrawlJob = Schema.Struct({
  url: Schema.String,
  max_pages: Schema.Int,
  check_dead_links: Schema.Boolean,
  check_external_links: Schema.Boolean,
  seconds: Schema.Number,
  /** Page that explains the crawler, to be named in its user agent. */
  crawler_url: Schema.NullOr(Schema.URL),
  /** The part of the site that is looked at; all of it when absent. */
  only: Schema.optionalWith(
    Schema.Struct({
      urls: Schema.Array(Schema.String),
      linksOf: Schema.Array(Schema.String),
      checksOf: Schema.optionalWith(Schema.Array(Schema.String), { exact: true })
    }),
    { exact: true }
  )
})
export type CrawlJob = typeof CrawlJob.Type

/** How a job is crawled. */
export const optionsOf = (job: CrawlJob): CrawlOptions => ({
  crawlerUrl: job.crawler_url,
  checkDeadLinks: job.check_dead_links,
  checkExternalLinks: job.check_external_links,
  deadline: `${job.seconds} seconds`,
  maxPages: job.max_pages,
  only: job.only
})

const code = Schema.Literal("start_unreachable", "start_refused", "start_redirects_offsite", "crawl_failed")

/**
 * The messages of the process, one a line. The pages of the report come one by one before the rest of it, so that the reader decodes one page at a time.
 */
export const Message = Schema.Union(
  Schema.TaggedStruct("Phase", { phase: Schema.Literal("preparing", "crawling", "analysing") }),
  Schema.TaggedStruct("Page", { page: MeasuredPage, counters: Counters }),
  Schema.TaggedStruct("Entry", { page: MeasuredPage }),
  Schema.TaggedStruct("Finished", { report: CrawlResult }),
  Schema.TaggedStruct("Failed", { code, message: Schema.String })
)
export type Message = typeof Message.Type

export const JobLine = Schema.parseJson(CrawlJob)
export const MessageLine = Schema.parseJson(Message)
