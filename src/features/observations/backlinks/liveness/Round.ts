import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as FetcherOf from "../../../../crawl/fetch/Fetcher.ts"
import { type CrawlTiming, defaultTiming } from "../../../../crawl/fetch/Timing.ts"
import { CrawlerUrl, userAgent } from "../../../../crawl/fetch/UserAgent.ts"
import type { AccountId } from "../../../accounts/Domain.ts"
import type { BacklinkId } from "../Domain.ts"
import { look, robotsOf } from "./Look.ts"
import * as Paced from "./Paced.ts"
import { PaceRepo } from "./PaceRepo.ts"
import { PageReader } from "./PageReader.ts"
import { isOutage, type Look } from "./Standing.ts"

/** A linking page that is due. */
export interface Due {
  readonly id: BacklinkId
  readonly host: string
  readonly target: string | null
  readonly url: string
}

/** What a look found, and when. */
export interface Seen {
  readonly at: number
  readonly id: BacklinkId
  readonly look: Look
}

/** How a round ended: what its looks found, or that most hosts did not answer, so that nothing of it counts; `isOver`: the account's looks of the day are used up. */
export type End =
  | {
      readonly _tag: "Looked"
      readonly hosts: number
      readonly answered: number
      readonly isCut: boolean
      readonly isOver: boolean
      readonly seen: ReadonlyArray<Seen>
    }
  | { readonly _tag: "Outage" }

/** Hosts that are asked at once; each gets one request at a time. */
const hostsAtOnce = 8

/** Milliseconds after which a round asks no more; what it did not reach stays due. */
const longest = 15 * 60_000

/** Looks at due pages of a site, host by host. */
export const run = Effect.fnUntraced(function* (
  site: { readonly account: AccountId; readonly host: string; readonly url: string },
  due: ReadonlyArray<Due>,
  timing: CrawlTiming = defaultTiming
) {
  const pace = yield* PaceRepo
  const reader = yield* PageReader
  const deadlineAt = (yield* Clock.currentTimeMillis) + longest
  const inner = yield* FetcherOf.make({
    deadlineAt,
    gap: pace.pause,
    perHost: 1,
    site: { headers: {}, start: new URL(site.url) },
    timing,
    userAgent: userAgent(yield* CrawlerUrl)
  })

  const { answered, isOver, pagesOf } = yield* Paced.make(site.account, inner, deadlineAt)

  /** Pages of one host, one after the other. */
  const ofHost = ([host, pages]: readonly [string, ReadonlyArray<Due>]) =>
    Effect.gen(function* () {
      const { begin, fetcher } = pagesOf(host)
      const looking = {
        confirmAfter: timing.confirmAfter,
        fetcher,
        pageDeadline: timing.pageDeadline,
        read: reader.read,
        robots: robotsOf(fetcher, timing, reader),
        site: site.host
      }
      const seen = yield* Effect.forEach(pages, ({ id, target, url }) =>
        begin.pipe(
          Effect.zipRight(look(looking, url, target)),
          Effect.flatMap((look) =>
            Effect.map(Clock.currentTimeMillis, (at): ReadonlyArray<Seen> => [{ at, id, look }])
          ),
          Effect.orElseSucceed((): ReadonlyArray<Seen> => [])
        )
      )
      return seen.flat()
    })

  const hosts = Record.toEntries(Array.groupBy(due, ({ host }) => host))
  const seen = yield* Effect.forEach(hosts, ofHost, { concurrency: hostsAtOnce })
  yield* pace.sweep
  const asked = hosts.filter((_, at) => (seen[at] ?? []).length > 0).map(([host]) => host)
  const failed = asked.filter((host) => !answered.has(host)).length
  if (isOutage(asked.length, failed)) return { _tag: "Outage" } satisfies End
  return {
    _tag: "Looked",
    answered: asked.length - failed,
    hosts: asked.length,
    isCut: seen.flat().length < due.length,
    isOver: yield* isOver,
    seen: seen.flat()
  } satisfies End
})
