import * as Context from "effect/Context"
import type * as Stream from "effect/Stream"
import type { CrawlEvent, CrawlFailed } from "../../../crawl/Crawl.ts"
import type { CrawlJob } from "./Messages.ts"

/** Crawls sites for runs: a port, because the process that answers requests must not pay for a hostile site. */
export class Crawler extends Context.Tag("sitehealth/Crawler")<
  Crawler,
  {
    /** The events of one crawl, which ends when the stream is no longer read. */
    readonly crawl: (job: CrawlJob) => Stream.Stream<CrawlEvent, CrawlFailed>
  }
>() {}
