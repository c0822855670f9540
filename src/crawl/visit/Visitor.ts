import * as Effect from "effect/Effect"
import { confirm } from "../fetch/Confirm.ts"
import * as CookieJar from "../fetch/CookieJar.ts"
import type { Fetcher } from "../fetch/Fetcher.ts"
import type { CrawlTiming } from "../fetch/Timing.ts"
import { headersOf } from "../page/HeaderFacts.ts"
import { identity } from "../page/UrlIdentity.ts"
import { OutOfTime } from "../politeness/HostLimiter.ts"
import type { RobotsLine } from "../report/MeasuredPage.ts"
import type { BodyBudget } from "./BodyBudget.ts"
import { type Hop, settle } from "./CookieRedirect.ts"
import { readAnswer } from "./ReadAnswer.ts"
import type { RobotsCache, RobotsFile } from "./RobotsCache.ts"
import type { Scope } from "./Scope.ts"
import { unasked, type Visit } from "./Visit.ts"

/** What a visit needs of the run. */
export interface Visitor {
  readonly fetcher: Fetcher
  readonly robots: RobotsCache
  readonly timing: CrawlTiming
  readonly bodies: BodyBudget
  readonly scope: Scope
}

interface Visited {
  readonly visit: Visit
  /** The jar with the cookies that this answer set. */
  readonly jar: CookieJar.CookieJar
}

/**
 * The visit that robots.txt alone decides; null when it allows the request. The line named is the one that decides for Googlebot, which is what a verdict
 * speaks of, or, of what Googlebot may read and this crawler may not, the one that closes it to this crawler.
 */
export const barred = (file: RobotsFile, url: URL): Visit | null => {
  if (file.state === "unreachable") return unasked("not_fetched", "robots_unreachable")
  const own = file.verdict(url.href)
  if (own.allowed) return null
  const google = file.google === file.verdict ? own : file.google(url.href)
  return google.allowed
    ? unasked("blocked_by_robots", "blocked_for_us", own.rule)
    : unasked("blocked_by_robots", "blocked_by_robots", google.rule)
}

/** Of a URL that this crawler may ask for, the line that shuts Googlebot out; null when none does. */
export const shutOut = (file: RobotsFile, url: URL): RobotsLine | null => {
  if (file.google === file.verdict) return null
  const google = file.google(url.href)
  return google.allowed ? null : google.rule
}

/** What the URLs of a cookie redirect answer with its cookies, each by its last answer. */
const behind = (robots: RobotsCache, start: URL, hops: ReadonlyArray<Hop>): Effect.Effect<ReadonlyMap<string, Visit>> =>
  Effect.map(
    Effect.forEach(hops, ({ answer, url }) =>
      Effect.map(readAnswer(start, url, { answer, attempts: [], unverified: null, cutBy: null }, false), (visit) => {
        const file = robots.known(url)
        const robotsLine = file === null ? null : shutOut(file, url)
        return [identity(url), { ...visit, robotsLine }] as const
      })
    ),
    (visits) => new Map(visits)
  )

const ask = (
  { fetcher, robots, scope, timing }: Visitor,
  start: URL,
  url: URL,
  jar: CookieJar.CookieJar,
  took: (body: Uint8Array) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const get = (target: URL, held: CookieJar.CookieJar) =>
      fetcher.get({
        url: target,
        cookies: CookieJar.header(held, target),
        deadline: timing.pageDeadline,
        pageOnly: true
      })
    const confirmed = yield* confirm(get(url, jar), timing.confirmAfter)
    const { answer, attempts } = confirmed
    if (answer._tag === "Lost") return { visit: yield* readAnswer(start, url, confirmed, false), jar }

    const cookies = CookieJar.store(jar, headersOf(answer.headers, "set-cookie"), url)
    const cookieRedirect = yield* settle({ start, url, answer, jar, cookies, ask: get, robots, scope })
    if (cookieRedirect?._tag !== "Settled") {
      yield* took(answer.body)
      return { visit: yield* readAnswer(start, url, confirmed, cookieRedirect?._tag === "Loop"), jar: cookies }
    }
    const answers = yield* behind(robots, start, cookieRedirect.hops)
    const own = answers.get(identity(url)) ?? (yield* readAnswer(start, url, confirmed, false))
    return { visit: { ...own, attempts, withCookies: answers }, jar: cookies }
  })

/** Turns to one URL of the site: robots.txt first, then as many GETs as its verdict needs; the body is read and let go. */
export const visit = (
  visitor: Visitor,
  start: URL,
  url: URL,
  jar: CookieJar.CookieJar
): Effect.Effect<Visited, OutOfTime> =>
  Effect.gen(function* () {
    const file = yield* visitor.robots.of(url)
    if (file.state === "unknown") return yield* new OutOfTime({ reason: "deadline" })
    const closed = barred(file, url)
    if (closed !== null) return { visit: closed, jar }
    const seen = yield* visitor.bodies.holding((took) => ask(visitor, start, url, jar, took))
    return { ...seen, visit: { ...seen.visit, robotsLine: shutOut(file, url) } }
  })
