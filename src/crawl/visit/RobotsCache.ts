import * as Effect from "effect/Effect"
import { mapped, type Steps, unhurried } from "../../foundation/schema/Steps.ts"
import { isWeb } from "../../foundation/schema/WebAddress.ts"
import { type Answer, isThrottled, type Lost, redirectTarget } from "../fetch/Answer.ts"
import { askAgain } from "../fetch/Confirm.ts"
import type { Fetcher } from "../fetch/Fetcher.ts"
import type { CrawlTiming } from "../fetch/Timing.ts"
import { normalEscapes } from "../page/UrlIdentity.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import type { RobotsState } from "../report/Summary.ts"
import * as Lines from "../robots/Lines.ts"
import { crawlDelay, type Matcher, matching } from "../robots/Match.ts"
import { parsing } from "../robots/Parse.ts"
import { type RobotsReview, reviewing } from "../robots/Review.ts"
import type { RobotsTxt, RobotsVerdict } from "../robots/RobotsTxt.ts"

/** What one origin's robots.txt says to this crawler. */
export interface RobotsFile {
  readonly state: RobotsState
  /** The crawler's name, for which the groups were chosen. */
  readonly productToken: string
  readonly url: string
  readonly status: number | null
  readonly verdict: (url: string) => RobotsVerdict
  /** Steps that a verdict takes at most: characters of the path times rules. */
  readonly cost: (url: string) => number
  readonly robots: RobotsTxt | null
  readonly crawlDelay: number | null
  /** Mistakes of its author; null when there is no file. */
  readonly review: RobotsReview | null
  /** Why the whole origin, not just its robots.txt, cannot be reached; null when it can. */
  readonly down: Lost | null
}

const maxRedirects = 5
/** Bytes of a robots.txt file that are kept: one more than are read shows that there are more. */
const robotsBytes = Lines.maxBytes + 1
const everythingAllowed = (): RobotsVerdict => ({ allowed: true, rule: null })
/** Cost of writing a pattern in the other spelling, in characters. */
const worthOfPattern = 64
const nothingAllowed = (): RobotsVerdict => ({ allowed: false, rule: null })

/**
 * The crawl writes URLs with unreserved characters as they are, so patterns are compared in that spelling too (RFC 9309 §2.2.2);
 * what either spelling forbids is not requested.
 */
function* matcherOf(robots: RobotsTxt, productToken: string): Steps<Matcher> {
  const written = yield* matching(robots, productToken)
  let isNormal = true
  const groups: Array<RobotsTxt["groups"][number]> = []
  for (const group of robots.groups) {
    const rules = yield* mapped(group.rules, worthOfPattern, (rule) => {
      const pattern = normalEscapes(rule.pattern)
      isNormal &&= pattern === rule.pattern
      return { ...rule, pattern }
    })
    groups.push({ ...group, rules })
  }
  if (isNormal) return written
  const normal = yield* matching({ ...robots, groups }, productToken)
  return {
    cost: (url) => written.cost(url) + normal.cost(url),
    verdict: (url) => {
      const verdict = written.verdict(url)
      return verdict.allowed ? normal.verdict(url) : verdict
    }
  }
}

/** RFC 9309 §2.3.1: 2xx is parsed, 4xx but 429 allows all, 429, 5xx and a lost answer disallow all. */
function* read(url: URL, answer: Answer, productToken: string): Steps<RobotsFile> {
  const file = { productToken, url: url.href, robots: null, review: null, crawlDelay: null, down: null, cost: () => 0 }
  if (answer._tag === "Lost") {
    const down = answer.connected && answer.cause !== "tls" ? null : answer
    return { ...file, state: "unreachable", status: null, verdict: nothingAllowed, down }
  }
  const { body, status } = answer
  if (status >= 500 || isThrottled(status)) {
    return { ...file, state: "unreachable", status, verdict: nothingAllowed }
  }
  if (status >= 300) return { ...file, state: "absent", status, verdict: everythingAllowed }
  const robots = yield* parsing(body)
  return {
    ...file,
    state: "parsed",
    status,
    robots,
    review: yield* reviewing(body),
    ...(yield* matcherOf(robots, productToken)),
    crawlDelay: crawlDelay(robots, productToken)
  }
}

/** Reads the robots.txt of each origin once, before any other request to that origin. */
export interface RobotsCache {
  readonly of: (url: URL) => Effect.Effect<RobotsFile>
  /** The file of an origin when it was read already, else null. */
  readonly known: (url: URL) => RobotsFile | null
}

/** Files are read for the crawler that the product token names. */
export const make = (fetcher: Fetcher, timing: CrawlTiming, productToken: string): RobotsCache => {
  const pages = new Map<string, Effect.Effect<RobotsFile>>()
  const files = new Map<string, RobotsFile>()

  const ask = (url: URL): Effect.Effect<Answer, OutOfTime> =>
    askAgain(
      fetcher,
      { url, cookies: null, deadline: timing.robotsDeadline, keepBytes: robotsBytes },
      timing.confirmAfter
    )

  const follow = (start: URL, url: URL, hops: number): Effect.Effect<RobotsFile, OutOfTime> =>
    Effect.flatMap(ask(url), (answer) => {
      const next = answer._tag === "Lost" ? null : redirectTarget(answer, url)
      const goesOn = next !== null && hops < maxRedirects && isWeb(next)
      if (goesOn) return follow(start, next, hops + 1)
      // An origin that redirected is up, wherever its redirect leads.
      return Effect.map(unhurried(read(start, answer, productToken)), (file) =>
        hops === 0 ? file : { ...file, down: null }
      )
    })

  const load = (origin: URL) => {
    const url = new URL("/robots.txt", origin)
    const unknown: RobotsFile = {
      state: "unknown",
      productToken,
      url: url.href,
      status: null,
      verdict: nothingAllowed,
      cost: () => 0,
      robots: null,
      review: null,
      crawlDelay: null,
      down: null
    }
    return follow(url, url, 0).pipe(
      Effect.orElseSucceed(() => unknown),
      Effect.tap((file) => {
        files.set(origin.origin, file)
        return file.crawlDelay === null ? Effect.void : fetcher.space(origin, file.crawlDelay * 1000)
      })
    )
  }

  const of = (url: URL) =>
    Effect.gen(function* () {
      const known = pages.get(url.origin)
      if (known !== undefined) return yield* known
      // The memo is in place before the first wait, so two pages of one origin never ask twice.
      const page = yield* Effect.cached(load(url))
      const raced = pages.get(url.origin) ?? page
      pages.set(url.origin, raced)
      return yield* raced
    })

  return { of, known: (url) => files.get(url.origin) ?? null }
}
