import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type CrawlEvent, type CrawlFailed, type CrawlOptions, type CrawlResult, crawl } from "../../src/crawl/Crawl.ts"
import type { MeasuredPage } from "../../src/crawl/report/MeasuredPage.ts"
import { type FaultName, faults } from "./faults.ts"
import { faultySite, type Role, type Seen } from "./site.ts"

/** What came of one crawl of a faulty site. */
export interface Outcome {
  readonly result: Either.Either<CrawlResult, CrawlFailed>
  readonly millis: number
  readonly origin: string
  readonly target: string
  readonly seen: ReadonlyArray<Seen>
  /** The pages told while the crawl ran. */
  readonly told: ReadonlyArray<MeasuredPage>
}

/** Crawls a site with this fault in this role. */
export const crawlUnder = (name: FaultName, role: Role, options: CrawlOptions): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const site = yield* faultySite(faults[name], role)
    const told: Array<MeasuredPage> = []
    const hear = (event: CrawlEvent) => {
      if (event._tag === "Page") told.push(event.page)
    }
    const startedAt = performance.now()
    const last = yield* crawl(new URL(site.start), options).pipe(
      Stream.tap((event) => Effect.sync(() => hear(event))),
      Stream.runLast,
      Effect.provide(site.layer),
      Effect.either
    )
    const millis = performance.now() - startedAt
    const result = Either.map(last, (event) => {
      if (Option.isNone(event) || event.value._tag !== "Finished") throw new Error("The crawl did not finish")
      return event.value.report
    })
    return { result, millis, origin: site.origin, target: site.target, seen: site.seen, told }
  }).pipe(Effect.scoped)
