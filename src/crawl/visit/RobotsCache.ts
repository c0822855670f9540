import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { isWeb } from "../../foundation/schema/Scalars.ts"
import { askAgain } from "../fetch/Confirm.ts"
import {
  type Answer,
  type Answered,
  type CrawlTiming,
  type Fetcher,
  isThrottled,
  type Lost,
  redirectTarget
} from "../fetch/Fetcher.ts"
import { normalEscapes } from "../page/UrlIdentity.ts"
import type { OutOfTime } from "../politeness/HostLimiter.ts"
import type { RobotsState } from "../report/CrawlResult.ts"
import { crawlDelay, isSameSelection, type Matcher, matching, type Selection, selection } from "../robots/Match.ts"
import { googlebot, maxBytes, parse, type RobotsGroup, type RobotsTxt, type RobotsVerdict } from "../robots/Parse.ts"
import { type RobotsReview, review } from "../robots/Review.ts"

const spelt = new WeakMap<RobotsGroup, RobotsGroup>()

/** A group with normalized patterns; the group itself if its patterns are normal. */
const normalOf = (group: RobotsGroup): RobotsGroup => {
  const known = spelt.get(group)
  if (known !== undefined) return known
  let isNormal = true
  const rules = group.rules.map((rule) => {
    const pattern = normalEscapes(rule.pattern)
    isNormal &&= pattern === rule.pattern
    return { ...rule, pattern }
  })
  const normal = isNormal ? group : { ...group, rules }
  spelt.set(group, normal)
  return normal
}

/** URLs of the crawl have unescaped unreserved characters, so patterns are also compared in that form (RFC 9309 §2.2.2); either form can forbid a URL. */
export const matcherOf = (groups: Selection): Matcher => {
  const written = matching(groups)
  const others = groups.map(([group, name]) => [normalOf(group), name] as const)
  if (others.every(([group], at) => group === groups[at]?.[0])) return written
  const normal = matching(others)
  return {
    cost: (url) => written.cost(url) + normal.cost(url),
    verdict: (url) => {
      const verdict = written.verdict(url)
      return verdict.allowed ? normal.verdict(url) : verdict
    }
  }
}

/** One origin's robots.txt for this crawler and for Googlebot. */
export interface RobotsFile {
  readonly state: RobotsState
  /** The crawler's name that selected the groups. */
  readonly productToken: string
  readonly url: string
  readonly status: number | null
  /** Whether this crawler may request a URL. */
  readonly verdict: (url: string) => RobotsVerdict
  /** Whether Googlebot may request a URL, which decides for the index; the same function as `verdict` if both obey equal groups. */
  readonly google: (url: string) => RobotsVerdict
  /** Maximum steps of both verdicts: characters of the path times rules. */
  readonly cost: (url: string) => number
  readonly robots: RobotsTxt | null
  readonly crawlDelay: number | null
  /** Mistakes in the file; null without one. */
  readonly review: RobotsReview | null
  /** Why the whole origin, not just its robots.txt, cannot be reached; null when it can. */
  readonly down: Lost | null
}

const maxRedirects = 5
/** Maximum bytes of a robots.txt file to keep: one more than are parsed shows that the file is longer. */
const robotsBytes = maxBytes + 1
const everythingAllowed = (): RobotsVerdict => ({ allowed: true, rule: null })
const nothingAllowed = (): RobotsVerdict => ({ allowed: false, rule: null })

/** The verdicts for this crawler and for Googlebot; one function if both obey equal groups, as on most sites. */
const verdictsOf = (robots: RobotsTxt, productToken: string): Pick<RobotsFile, "verdict" | "google" | "cost"> => {
  const groups = selection(robots, [productToken])
  const theirs = selection(robots, googlebot.tokens)
  const own = matcherOf(groups)
  if (isSameSelection(groups, theirs)) return { verdict: own.verdict, google: own.verdict, cost: own.cost }
  const google = matcherOf(theirs)
  return { verdict: own.verdict, google: google.verdict, cost: (url) => own.cost(url) + google.cost(url) }
}

const allOf = (verdict: RobotsFile["verdict"]): Pick<RobotsFile, "verdict" | "google" | "cost"> => ({
  verdict,
  google: verdict,
  cost: () => 0
})

/**
 * The response if its body has rules, or on the left the result without them, by RFC 9309 §2.3.1: 4xx except 429 allows everything; 429, 5xx and a lost
 * response disallow everything.
 */
export const withRules = (url: URL, answer: Answer, productToken: string): Either.Either<Answered, RobotsFile> => {
  const file = { productToken, url: url.href, robots: null, review: null, crawlDelay: null, down: null }
  if (answer._tag === "Lost") {
    const down = answer.connected && answer.cause !== "tls" ? null : answer
    return Either.left({ ...file, ...allOf(nothingAllowed), state: "unreachable", status: null, down })
  }
  const { status } = answer
  if (status >= 500 || isThrottled(status)) {
    return Either.left({ ...file, ...allOf(nothingAllowed), state: "unreachable", status })
  }
  return status >= 300
    ? Either.left({ ...file, ...allOf(everythingAllowed), state: "absent", status })
    : Either.right(answer)
}

const readRules = (url: URL, { body, status }: Answered, productToken: string): RobotsFile => {
  const robots = parse(body)
  return {
    productToken,
    url: url.href,
    down: null,
    state: "parsed",
    status,
    robots,
    review: review(body),
    ...verdictsOf(robots, productToken),
    crawlDelay: crawlDelay(robots, productToken)
  }
}

/** Turns an origin's robots.txt response into a file, and makes the file of an origin that there was no time to ask. */
interface Reader<File> {
  readonly read: (url: URL, answer: Answer) => Effect.Effect<File>
  readonly unknown: (url: URL) => File
}

/** Requests each origin's robots.txt once, before any other request to that origin. */
export interface Robots<File> {
  readonly of: (url: URL) => Effect.Effect<File>
  /** The file of an origin if it was read, else null. */
  readonly known: (url: URL) => File | null
}
export type RobotsCache = Robots<RobotsFile>

/** Robots.txt files of origins, read by `read`. */
export const readBy = <File extends Pick<RobotsFile, "crawlDelay" | "down">>(
  fetcher: Fetcher,
  timing: CrawlTiming,
  { read, unknown }: Reader<File>
): Robots<File> => {
  const pages = new Map<string, Effect.Effect<File>>()
  const files = new Map<string, File>()

  const ask = (url: URL): Effect.Effect<Answer, OutOfTime> =>
    askAgain(
      fetcher,
      { url, cookies: null, deadline: timing.robotsDeadline, keepBytes: robotsBytes },
      timing.confirmAfter
    )

  const follow = (start: URL, url: URL, hops: number): Effect.Effect<File, OutOfTime> =>
    Effect.flatMap(ask(url), (answer) => {
      const next = answer._tag === "Lost" ? null : redirectTarget(answer, url)
      const goesOn = next !== null && hops < maxRedirects && isWeb(next)
      if (goesOn) return follow(start, next, hops + 1)
      // An origin that redirected is up, even if the target is down.
      return Effect.map(read(start, answer), (file) => (hops === 0 ? file : { ...file, down: null }))
    })

  const load = (origin: URL) => {
    const url = new URL("/robots.txt", origin)
    return follow(url, url, 0).pipe(
      Effect.orElseSucceed(() => unknown(url)),
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
      // The memo exists before the first wait, so two pages of one origin never ask twice.
      const page = yield* Effect.cached(load(url))
      const raced = pages.get(url.origin) ?? page
      pages.set(url.origin, raced)
      return yield* raced
    })

  return { of, known: (url) => files.get(url.origin) ?? null }
}

/** Robots.txt files with their rules for the crawler of the product token. */
export const make = (fetcher: Fetcher, timing: CrawlTiming, productToken: string): RobotsCache =>
  readBy(fetcher, timing, {
    read: (url, answer) =>
      Either.match(withRules(url, answer, productToken), {
        onLeft: Effect.succeed,
        onRight: (ruled) => Effect.sync(() => readRules(url, ruled, productToken))
      }),
    unknown: (url) => ({
      state: "unknown",
      productToken,
      url: url.href,
      status: null,
      ...allOf(nothingAllowed),
      robots: null,
      review: null,
      crawlDelay: null,
      down: null
    })
  })
