import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { CrawlEvent } from "../../../crawl/Crawl.ts"
import type { CrawlFailed } from "../../../crawl/report/CrawlEvent.ts"
import { Outbound } from "../../../foundation/outbound/Outbound.ts"
import { isConfigured } from "../../../foundation/outbound/OutboundLive.ts"
import * as CrawlProcess from "./CrawlProcess.ts"
import { type CrawlJob, optionsOf } from "./Messages.ts"

/** Crawls sites for runs: a port, because the process that answers requests must not pay for a hostile site. */
export class Crawler extends Context.Tag("sitehealth/Crawler")<
  Crawler,
  {
    /** The events of one crawl, which ends when the stream is no longer read. */
    readonly crawl: (job: CrawlJob) => Stream.Stream<CrawlEvent, CrawlFailed>
  }
>() {}

/** Crawls in this process over its own client; the crawl's code is loaded with the first one. */
const here = (outbound: Context.Tag.Service<Outbound>) => (job: CrawlJob) =>
  Stream.unwrap(
    Effect.map(
      Effect.promise(() => import("../../../crawl/Crawl.ts")),
      ({ crawl }) => Stream.provideService(crawl(new URL(job.url), optionsOf(job)), Outbound, outbound)
    )
  )

/**
 * Crawls in processes of their own, which make the configured client again; a client that an embedding program brings cannot be made there, so with one
 * crawls run in this process and all of their requests go through it.
 */
export const layer = Layer.effect(
  Crawler,
  Effect.gen(function* () {
    const outbound = yield* Outbound
    const apart = yield* CrawlProcess.make
    return Crawler.of({ crawl: isConfigured(outbound) ? apart : here(outbound) })
  })
)
