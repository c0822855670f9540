import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type CrawlEvent, type CrawlOptions, type CrawlResult, crawl } from "../../../src/crawl/Crawl.ts"
import { MemoryGrowth } from "../../../src/crawl/engine/MemoryWatch.ts"

/** Pauses short enough for tests of servers that never respond, or stop responding. */
export const shortTiming = { pageDeadline: 400, idleTimeout: 400, robotsDeadline: 400, confirmAfter: 20, backoff: 20 }

/** Timeouts of all other tests: no response is late on a busy machine. */
export const patientTiming = { ...shortTiming, pageDeadline: 10_000, idleTimeout: 10_000, robotsDeadline: 10_000 }

export const options: CrawlOptions = {
  maxPages: 50,
  checkDeadLinks: true,
  deadline: "20 seconds",
  timing: patientTiming
}

/** All events of one crawl. The heap of a test process contains much else, and is left to its own collections. */
export const events = (url: string, own: Partial<CrawlOptions> = {}) =>
  Stream.runCollect(crawl(new URL(url), { ...options, ...own })).pipe(
    Effect.map(Chunk.toReadonlyArray),
    Effect.provideService(MemoryGrowth, Number.POSITIVE_INFINITY)
  )

const reportIn = (all: ReadonlyArray<CrawlEvent>): CrawlResult => {
  const last = all.at(-1)
  if (last?._tag !== "Finished") throw new Error("The crawl did not finish")
  return last.report
}

/** The report of one crawl. */
export const report = (url: string, own: Partial<CrawlOptions> = {}) => Effect.map(events(url, own), reportIn)
