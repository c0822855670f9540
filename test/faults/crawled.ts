import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type CrawlFailed, type CrawlOptions, type CrawlResult, crawl } from "../../src/crawl/Crawl.ts"
import { type FaultName, faults } from "./faults.ts"
import { faultySite, type Role, type Seen } from "./site.ts"

/** What came of one crawl of a faulty site. */
export interface Outcome {
  readonly result: Either.Either<CrawlResult, CrawlFailed>
  readonly millis: number
  readonly origin: string
  readonly target: string
  readonly seen: ReadonlyArray<Seen>
}

/** Crawls a site with this fault in this role. */
export const crawlUnder = (name: FaultName, role: Role, options: CrawlOptions): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const site = yield* faultySite(faults[name], role)
    const startedAt = performance.now()
    const events = yield* Stream.runCollect(crawl(new URL(site.start), options)).pipe(
      Effect.provide(site.layer),
      Effect.either
    )
    const millis = performance.now() - startedAt
    const result = Either.map(events, (all) => {
      const last = Option.getOrUndefined(Chunk.last(all))
      if (last?._tag !== "Finished") throw new Error("The crawl did not finish")
      return last.report
    })
    return { result, millis, origin: site.origin, target: site.target, seen: site.seen }
  }).pipe(Effect.scoped)
