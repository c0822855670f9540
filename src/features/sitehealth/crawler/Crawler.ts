import * as Context from "effect/Context"
import type * as Stream from "effect/Stream"
import type { CrawlEvent, CrawlFailed } from "../../../crawl/Crawl.ts"
import type { CrawlJob } from "./Messages.ts"

/** Crawls sites for runs: a port, because what a hostile site costs must not be paid by the process that answers requests. */
export class Crawler extends Context.Tag("sitehealth/Crawler")<
  Crawler,
  {
    /** The events of one crawl; it ends, wherever it goes on, when nobody reads them any more. */
    readonly crawl: (job: CrawlJob) => Stream.Stream<CrawlEvent, CrawlFailed>
  }
>() {}
