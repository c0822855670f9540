import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CrawlOptions, CrawlResult } from "../../../src/crawl/Crawl.ts"
import { Outbound, type OutboundRequest } from "../../../src/foundation/outbound/Outbound.ts"
import { report } from "../site/Crawled.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"
import { answer, answerElsewhere } from "./Answers.ts"
import { maxUrls } from "./Builder.ts"
import { isInternal } from "./ModelReach.ts"
import { Random } from "./Random.ts"
import { renderer } from "./ScriptedRenderer.ts"
import type { Site } from "./Site.ts"
import { virtualClock } from "./VirtualClock.ts"

/** The time at which every generated site is crawled. */
export const now = 1_767_225_600_000

/** The product's own pauses, which take no time under the virtual clock. */
export const options: CrawlOptions = {
  maxPages: maxUrls,
  checkDeadLinks: true,
  deadline: "90 seconds",
  now,
  timing: {}
}

export interface Crawled {
  readonly result: CrawlResult
  /** Every request in the order sent. */
  readonly urls: ReadonlyArray<string>
  /** The requests in the order of their responses. */
  readonly answered: ReadonlyArray<string>
}

interface Network {
  /** Milliseconds of each response; the same network shuffles responses in the same way. */
  readonly latency?: (random: Random) => number
  readonly seed?: number
}

const delayed = (reply: Reply, millis: number): Reply => ({ ...reply, delay: (reply.delay ?? 0) + millis })

/** One crawl of a generated site, in memory and under its own clock. */
export const crawlSite = (
  site: Site,
  own: Partial<CrawlOptions> = {},
  { latency = () => 5, seed = 0 }: Network = {}
): Effect.Effect<Crawled, unknown> =>
  Effect.suspend(() => {
    const urls: Array<string> = []
    const answered: Array<string> = []
    const random = new Random(`network ${seed}`)
    const memory = memoryOutbound(
      (url, { method }, asked) => {
        if (!isInternal(site, url.href)) return delayed(answerElsewhere(site, url, method, asked), latency(random))
        return delayed(answer(site, url, asked, method), latency(random))
      },
      (url) => urls.push(url.href)
    )
    const outbound = Layer.effect(
      Outbound,
      Effect.map(Outbound, ({ exchange, vet }) => ({
        vet,
        exchange: (request: OutboundRequest) =>
          Effect.ensuring(
            exchange(request),
            Effect.sync(() => answered.push(request.url.href))
          )
      }))
    )
    return report(site.start, { ...options, render: "always", ...own }).pipe(
      Effect.map((result) => ({ result, urls, answered })),
      Effect.provide(Layer.merge(Layer.provide(outbound, memory), renderer(site))),
      Effect.withClock(virtualClock(now))
    )
  })
