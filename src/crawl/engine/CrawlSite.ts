import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { each, type Steps, unhurried } from "../../foundation/schema/Steps.ts"
import type { UrlRecord } from "../frontier/UrlRecord.ts"
import type { CrawlFailed } from "../report/CrawlEvent.ts"
import { type Run, runOut } from "../run/Run.ts"
import { gapOf } from "../run/RunOptions.ts"
import { probe } from "../visit/Probe.ts"
import { readSitemaps } from "../visit/SitemapWalk.ts"
import { checkAddresses } from "./CheckAddresses.ts"
import { confirmSoft } from "./ConfirmSoft.ts"
import { drain } from "./FetchWindow.ts"
import { begin } from "./Start.ts"

/** Callbacks of a crawl under way. */
interface Listener {
  readonly onPage: (record: UrlRecord) => Effect.Effect<void>
  readonly onCrawling: Effect.Effect<void>
}

/** Whether the host's pace leaves room for more than the pages: otherwise the pages come first. */
const hasRoom = ({ deadlineMillis, found, options, robots }: Run): boolean => {
  const delay = robots.known(found.start)?.crawlDelay ?? 0
  return Math.max(delay * 1000, gapOf(options)) * (options.maxPages + 10) < deadlineMillis
}

/** Work whose result is taken later, once; begun at once when there is room. Without time for it there is no result. */
const later = <A, E>(work: Effect.Effect<A, E>, atOnce: boolean) =>
  Effect.gen(function* () {
    const result = yield* Effect.cached(Effect.orElseSucceed(work, () => null))
    if (atOnce) yield* Effect.forkScoped(result)
    return { result }
  })

/** Cost of meeting an address, in characters. */
const worthOfMeeting = 256

/** The addresses are those of the site already: a sitemap speaks for its own host alone, and only the site's are read. */
const meetSitemap = (run: Run, urls: ReadonlyArray<string>): Steps<void> =>
  each(urls, (url) => {
    run.frontier.meet(url, { via: "sitemap", depth: null, from: null, text: null, hops: 0 })
    return worthOfMeeting
  })

/** The URLs of a partial run are met before any page names them. */
const meetPart = ({ frontier, options }: Run) => {
  for (const url of options.only?.urls ?? []) {
    frontier.meet(url, { via: "reference", depth: null, from: null, text: null, hops: 0 })
  }
}

/** Sends the requests for pages, from the start page to the last confirmation. */
const crawlPages = (run: Run, { onCrawling, onPage }: Listener): Effect.Effect<void, CrawlFailed, Scope.Scope> =>
  Effect.gen(function* () {
    yield* begin(run, onPage)
    meetPart(run)
    yield* onCrawling
    const { start } = run.found
    const sitemaps = yield* later(readSitemaps(run, start), hasRoom(run))
    const probing = yield* later(probe(run, start, run.found.jar), hasRoom(run))
    const takeSitemap = Effect.flatMap(sitemaps.result, (reading) => {
      if (run.found.sitemap !== null || reading === null) return Effect.void
      run.found.sitemap = reading
      return unhurried(meetSitemap(run, reading.urls))
    })
    yield* drain(run, { onPage, linksRanDry: takeSitemap })
    yield* takeSitemap
    run.found.probe = yield* probing.result
    yield* confirmSoft(run)
  }).pipe(Effect.catchTag("OutOfTime", ({ reason }) => Effect.sync(() => runOut(run, reason))))

/** Sends all requests of a run, the pages' before those for what they load and link to, and leaves what it finds in `run`. */
export const crawlSite = (run: Run, listener: Listener): Effect.Effect<void, CrawlFailed, Scope.Scope> =>
  Effect.gen(function* () {
    yield* crawlPages(run, listener)
    if (run.found.outOfTime) return
    run.found.hasSeenPages = true
    yield* checkAddresses(run)
  })
