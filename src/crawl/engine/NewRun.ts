import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as CookieJar from "../fetch/CookieJar.ts"
import * as Fetcher from "../fetch/Fetcher.ts"
import { productTokenOf, userAgentOf } from "../fetch/Headers.ts"
import { Frontier, partOf } from "../frontier/Frontier.ts"
import { type Run, SharedLinks, sharedParts } from "../run/Run.ts"
import { gapOf, type RunOptions } from "../run/RunOptions.ts"
import { resolve } from "../site/Site.ts"
import * as ReadAnswer from "../visit/ReadAnswer.ts"
import * as RobotsCache from "../visit/RobotsCache.ts"
import { scopeOf } from "../visit/Visitor.ts"

/** Characters times rules that a run compares for URLs that it did not visit: some 50 ms of work, enough for all URLs of a usual site. */
const judgingSteps = 100_000_000

/** A run without requests yet; its clock starts now. */
export const newRun = Effect.fnUntraced(function* (seed: URL, options: RunOptions) {
  const startedAt = yield* Clock.currentTimeMillis
  const deadlineMillis = Duration.toMillis(options.deadline ?? "90 seconds")
  const deadlineAt = startedAt + deadlineMillis
  const timing = { ...Fetcher.defaultTiming, ...options.timing }
  const scope = scopeOf(options)
  const fetcher = yield* Fetcher.make({
    perHost: options.perHost ?? 6,
    deadlineAt,
    gap: gapOf(options),
    timing,
    userAgent: userAgentOf(options),
    site: { headers: options.headers ?? {}, start: seed }
  })
  const run: Run = {
    options,
    timing,
    fetcher,
    robots: RobotsCache.make(fetcher, timing, productTokenOf(options)),
    bodies: yield* ReadAnswer.make,
    scope,
    now: options.now ?? startedAt,
    deadlineMillis,
    deadlineAt,
    links: new SharedLinks(),
    parts: sharedParts(),
    frontier: new Frontier(options.maxPages, partOf(options.only), scope.leftOut),
    found: {
      start: resolve(seed.href, seed) ?? seed,
      jar: CookieJar.empty,
      asked: 0,
      answered: 0,
      failed: 0,
      sitemap: null,
      probe: null,
      parts: null,
      externalLinks: null,
      soft: new Map(),
      withCookies: new Map(),
      steps: judgingSteps,
      judged: new Map(),
      underway: [],
      paused: false,
      outOfTime: false,
      hasSeenPages: false
    }
  }
  return run
})
